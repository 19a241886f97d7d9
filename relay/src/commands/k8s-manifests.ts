import { stringify } from "yaml";

export interface RelayOnCluster {
  readonly namespace: string;
  readonly image: string;
  readonly config: Readonly<Record<string, string | undefined>>;
  /** Undefined: a Secret of this name exists already. */
  readonly secret: Readonly<Record<string, string | undefined>> | undefined;
  readonly secretName: string;
}

const STATUS_FILE = "/run/nest/status.json";
const CONFIG_NAME = "nest-contributor-config";
/** A healthy relay writes its status every 30 s: one that is older than this belongs to a relay that hangs. */
const FRESH_SECONDS = 120;

/** Reads the status file and passes while it is fresh and its state is waiting, working or done. */
const PROBE = `const s=JSON.parse(require("fs").readFileSync("${STATUS_FILE}"));process.exit(["waiting","working","done"].includes(s.state)&&Date.now()-Date.parse(s.updated_at)<${FRESH_SECONDS}000?0:1)`;

/** The objects that run a relay on a cluster, as YAML documents: Namespace, ConfigMap, Secret, Deployment. */
export function manifestsOf(relay: RelayOnCluster): string {
  const labels = { "app.kubernetes.io/name": "nest-contributor", "app.kubernetes.io/component": "relay" };
  const metadata = (name: string) => ({ name, namespace: relay.namespace, labels });
  const documents: object[] = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: relay.namespace, labels } },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: metadata(CONFIG_NAME),
      data: { ...present(relay.config), CONTRIBUTOR_MODE: "headless", NEST_HEADLESS_STATUS_FILE: STATUS_FILE },
    },
  ];
  if (relay.secret !== undefined) {
    documents.push({
      apiVersion: "v1",
      kind: "Secret",
      metadata: metadata(relay.secretName),
      type: "Opaque",
      stringData: present(relay.secret),
    });
  }
  documents.push(deployment(relay, labels));
  return documents.map((document) => stringify(document)).join("---\n");
}

function deployment(relay: RelayOnCluster, labels: Readonly<Record<string, string>>): object {
  const probe = { exec: { command: ["node", "-e", PROBE] }, timeoutSeconds: 5, failureThreshold: 3 };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "nest-contributor", namespace: relay.namespace, labels },
    spec: {
      // One identity, one relay: during a rolling update two pods would hold one token.
      replicas: 1,
      strategy: { type: "Recreate" },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: 15,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 1001,
            runAsGroup: 1000,
            fsGroup: 1000,
            seccompProfile: { type: "RuntimeDefault" },
          },
          containers: [
            {
              name: "contributor",
              image: relay.image,
              imagePullPolicy: "IfNotPresent",
              envFrom: [{ configMapRef: { name: CONFIG_NAME } }, { secretRef: { name: relay.secretName } }],
              env: [{ name: "NEST_CONTAINER", value: "1" }],
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ["ALL"] },
              },
              resources: {
                requests: { cpu: "500m", memory: "1Gi", "ephemeral-storage": "2Gi" },
                limits: { cpu: "2", memory: "4Gi", "ephemeral-storage": "10Gi" },
              },
              readinessProbe: { ...probe, initialDelaySeconds: 15, periodSeconds: 15 },
              livenessProbe: { ...probe, initialDelaySeconds: 60, periodSeconds: 30 },
              volumeMounts: [
                { name: "home", mountPath: "/home/contributor" },
                { name: "tmp", mountPath: "/tmp" },
                { name: "run", mountPath: "/run/nest" },
              ],
            },
          ],
          volumes: [
            { name: "home", emptyDir: { sizeLimit: "10Gi" } },
            { name: "tmp", emptyDir: { sizeLimit: "2Gi" } },
            { name: "run", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
          ],
        },
      },
    },
  };
}

function present(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== ""),
  );
}
