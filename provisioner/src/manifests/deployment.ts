import { CONFIG, SECRETS } from "./config.ts";
import { labelsOf, ownedMetadataOf } from "./metadata.ts";
import type { DesiredObject } from "./object.ts";
import type { NestSpec } from "./spec.ts";
import { CLAIM } from "./volume.ts";

export const USER = 1001;
export const GROUP = 1000;
/** Everything but `init-permissions` keeps to the `restricted` pod security standard. */
export const restricted = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

/** The Deployment `nest` (spec: Manual provisioning object set, 8). */
export function deployment(spec: NestSpec): DesiredObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: ownedMetadataOf(spec, "nest"),
    spec: {
      replicas: spec.replicas,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      progressDeadlineSeconds: 300,
      revisionHistoryLimit: 3,
      // The namespace has no other nest; the label that says which hub it belongs to may change when it is adopted.
      selector: { matchLabels: { app: "nest" } },
      template: { metadata: { labels: labelsOf(spec) }, spec: podSpec(spec) },
    },
  };
}

function podSpec(spec: NestSpec): object {
  return {
    serviceAccountName: "nest-sa",
    // A Service called `nest` would put NEST_PORT and its like into the environment, where they look like settings of ours.
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 30,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: GROUP,
      fsGroup: GROUP,
      // A large volume would otherwise be walked through at every start.
      fsGroupChangePolicy: "OnRootMismatch",
      seccompProfile: { type: "RuntimeDefault" },
    },
    initContainers: [copyConfig(spec), initPermissions(spec)],
    containers: [nestContainer(spec)],
    volumes: [
      { name: "data", persistentVolumeClaim: { claimName: CLAIM } },
      { name: "seed", configMap: { name: CONFIG } },
      { name: "config", emptyDir: { sizeLimit: "16Mi" } },
      // 288 is 0440 in octal, which YAML readers do not agree on.
      { name: "secrets", secret: { secretName: SECRETS, defaultMode: 288 } },
      { name: "home", emptyDir: { sizeLimit: "10Gi" } },
      { name: "tmp", emptyDir: { sizeLimit: "5Gi" } },
    ],
  };
}

function copyConfig(spec: NestSpec): object {
  return {
    name: "copy-config",
    image: spec.image,
    imagePullPolicy: pullPolicy(spec.image),
    command: ["cp", "/etc/nest-seed/nest.yaml", "/etc/nest/nest.yaml"],
    resources: small,
    securityContext: restricted,
    volumeMounts: [
      { name: "seed", mountPath: "/etc/nest-seed", readOnly: true },
      { name: "config", mountPath: "/etc/nest" },
    ],
  };
}

/** Root with the one right that it needs: a fresh volume of a shared file system belongs to root. */
function initPermissions(spec: NestSpec): object {
  return {
    name: "init-permissions",
    image: spec.image,
    imagePullPolicy: pullPolicy(spec.image),
    command: ["chown", `${USER}:${GROUP}`, "/data"],
    resources: small,
    securityContext: {
      ...restricted,
      runAsNonRoot: false,
      runAsUser: 0,
      runAsGroup: 0,
      capabilities: { drop: ["ALL"], add: ["CHOWN"] },
    },
    volumeMounts: [{ name: "data", mountPath: "/data" }],
  };
}

const small = { requests: { cpu: "10m", memory: "16Mi" }, limits: { cpu: "500m", memory: "128Mi" } };

function nestContainer(spec: NestSpec): object {
  const probe = (path: string) => ({ httpGet: { path, port: 3002 }, failureThreshold: 3, timeoutSeconds: 2 });
  return {
    name: "nest",
    image: spec.image,
    imagePullPolicy: pullPolicy(spec.image),
    env: environmentOf(spec),
    ports: [
      { name: "dashboard", containerPort: 3002, protocol: "TCP" },
      { name: "terminal", containerPort: 3001, protocol: "TCP" },
    ],
    livenessProbe: { ...probe("/api/livez"), periodSeconds: 30 },
    readinessProbe: { ...probe("/api/health"), initialDelaySeconds: 5, periodSeconds: 5 },
    resources: { requests: { cpu: "250m", memory: "1Gi" }, limits: { cpu: "2", memory: "16Gi" } },
    securityContext: restricted,
    volumeMounts: [
      { name: "data", mountPath: "/data" },
      { name: "config", mountPath: "/etc/nest" },
      { name: "secrets", mountPath: "/secrets", readOnly: true },
      { name: "home", mountPath: "/home/nest" },
      { name: "tmp", mountPath: "/tmp" },
    ],
  };
}

function environmentOf(spec: NestSpec): readonly object[] {
  const plain = {
    NEST_ID: spec.id,
    NEST_HUB_URL: spec.cluster.hub_url ?? spec.hub.url,
    NEST_SPOKE_HOST: "0.0.0.0",
    NEST_CONTAINER: "1",
    NEST_DATA_DIR: "/data",
    NEST_CONFIG: "/etc/nest/nest.yaml",
    HOME: "/home/nest",
    ...spec.environment,
  };
  return [
    ...Object.entries(plain).map(([name, value]) => ({ name, value })),
    fromSecret("NEST_HUB_SECRET", "hub-secret"),
    fromSecret("NEST_DASHBOARD_TOKEN", "dashboard-token"),
    fromSecret("NEST_GITHUB_TOKEN", "github-token", true),
  ];
}

function fromSecret(name: string, key: string, optional?: true): object {
  return { name, valueFrom: { secretKeyRef: { name: SECRETS, key, ...(optional && { optional }) } } };
}

/** A local image exists on the node alone; a tag that moves, such as `stable`, is looked up at each start. */
export function pullPolicy(image: string): "Always" | "IfNotPresent" {
  if (image.startsWith("localhost/") || image.includes("@sha256:")) return "IfNotPresent";
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  return tag === undefined || tag === "latest" || tag === "stable" ? "Always" : "IfNotPresent";
}
