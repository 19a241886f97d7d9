import { NestError } from "@nest/kit";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import type { DesiredObject } from "./manifests/object.ts";
import { desiredObjects, yamlOf } from "./nest.ts";
import { aNest, aRouteNest, someSecrets } from "./testing/a-nest.ts";

const NAMESPACE = "nest-hosted-hosted-acme-widgets-ab12";

function named(objects: readonly DesiredObject[], kind: string, name: string): DesiredObject {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name}`);
  return found;
}

/** A field by its path, as `spec.template.spec`. */
function at(object: unknown, path: string): unknown {
  return path.split(".").reduce((value, key) => (value as Record<string, unknown>)[key], object);
}

describe("the objects of a nest as YAML", () => {
  test("with an Ingress", async () => {
    await expect(yamlOf(desiredObjects(aNest(), someSecrets))).toMatchFileSnapshot("snapshots/ingress.yaml");
  });

  test("with Routes and a security class", async () => {
    await expect(yamlOf(desiredObjects(aRouteNest(), someSecrets))).toMatchFileSnapshot("snapshots/routes.yaml");
  });

  test("of a placeholder on a file share", async () => {
    const spec = aNest({
      owner: "",
      auth: { kind: "none" },
      replicas: 0,
      volume: { kind: "nfs", server: "files.example.org", path: "/exports/ab12" },
    });
    await expect(yamlOf(desiredObjects(spec, {}))).toMatchFileSnapshot("snapshots/placeholder.yaml");
  });
});

describe.each([
  ["with an Ingress", aNest()],
  ["with Routes", aRouteNest()],
])("a nest %s", (_, spec) => {
  const objects = desiredObjects(spec, someSecrets);

  test("every object is labelled app=nest and is in the nest's own namespace", () => {
    for (const { kind, metadata } of objects) {
      expect(metadata.labels.app, kind).toBe("nest");
      if (kind !== "Namespace") expect(metadata.namespace, kind).toBe(NAMESPACE);
    }
  });

  test("every subject's namespace equals the nest's own", () => {
    const bindings = objects.filter(({ kind }) => kind === "RoleBinding");
    expect(bindings.length).toBeGreaterThan(1);
    for (const { subjects } of bindings)
      expect(subjects).toEqual([{ kind: "ServiceAccount", name: "nest-sa", namespace: NAMESPACE }]);
  });

  test("the roles have the spec's verbs and no others", () => {
    expect(at(named(objects, "Role", "nest-secrets-writer"), "rules")).toEqual([
      { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch", "create", "update", "patch"] },
    ]);
    expect(at(named(objects, "Role", "nest-self-upgrade"), "rules")).toEqual([
      {
        apiGroups: ["apps"],
        resources: ["deployments", "deployments/scale"],
        verbs: ["get", "list", "watch", "update", "patch"],
      },
      { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch", "delete"] },
    ]);
  });

  test("the claim is ReadWriteMany with 50Gi", () => {
    const claim = named(objects, "PersistentVolumeClaim", "nest-data");
    expect(at(claim, "spec.accessModes")).toEqual(["ReadWriteMany"]);
    expect(at(claim, "spec.resources.requests.storage")).toBe("50Gi");
  });

  test("the objects that an admission policy may ask it of have the label owner", () => {
    for (const [kind, name] of [
      ["PersistentVolumeClaim", "nest-data"],
      ["ConfigMap", "nest-config"],
      ["Secret", "nest-secrets"],
      ["Service", "nest"],
      ["Deployment", "nest"],
    ] as const)
      expect(named(objects, kind, name).metadata.labels.owner).toBe("octo");
  });

  test("the Secret has dashboard-token, app-key.pem and litellm_api_key, placeholders where no value is known", () => {
    const data = at(named(objects, "Secret", "nest-secrets"), "data") as Record<string, string>;
    const clear = Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
    );
    expect(clear).toMatchObject({ "dashboard-token": "d".repeat(64), litellm_api_key: "placeholder" });
    expect(clear["app-key.pem"]).toContain("BEGIN RSA PRIVATE KEY");
  });

  test("the Service has the ports dashboard 3002 and terminal 3001", () => {
    const ports = at(named(objects, "Service", "nest"), "spec.ports");
    expect(ports).toMatchObject([
      { name: "dashboard", port: 3002 },
      { name: "terminal", port: 3001 },
    ]);
  });

  test("the Deployment rolls without a gap, with the spec's probes, init containers, environment and mounts", () => {
    const deployment = named(objects, "Deployment", "nest");
    expect(at(deployment, "spec.strategy")).toEqual({
      type: "RollingUpdate",
      rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
    });
    const pod = at(deployment, "spec.template.spec") as Record<string, unknown>;
    expect(pod.serviceAccountName).toBe("nest-sa");
    expect(pod.initContainers).toMatchObject([
      { name: "copy-config", command: ["cp", "/etc/nest-seed/nest.yaml", "/etc/nest/nest.yaml"] },
      { name: "init-permissions", command: ["chown", "1001:1000", "/data"] },
    ]);
    const [nest] = pod.containers as Record<string, unknown>[];
    expect(nest?.livenessProbe).toEqual({
      httpGet: { path: "/api/livez", port: 3002 },
      periodSeconds: 30,
      failureThreshold: 3,
      timeoutSeconds: 2,
    });
    expect(nest?.readinessProbe).toEqual({
      httpGet: { path: "/api/health", port: 3002 },
      initialDelaySeconds: 5,
      periodSeconds: 5,
      failureThreshold: 3,
      timeoutSeconds: 2,
    });
    const names = ((nest?.env ?? []) as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["NEST_ID", "NEST_HUB_SECRET", "NEST_HUB_URL"]));
    expect(nest?.volumeMounts).toEqual(
      expect.arrayContaining([
        { name: "data", mountPath: "/data" },
        { name: "config", mountPath: "/etc/nest" },
        { name: "secrets", mountPath: "/secrets", readOnly: true },
      ]),
    );
  });

  test("everything in the pod keeps to the restricted standard but the change of the volume's owner", () => {
    const pod = at(named(objects, "Deployment", "nest"), "spec.template.spec") as Record<
      string,
      Record<string, unknown>[]
    >;
    const rest = [...(pod.initContainers ?? []), ...(pod.containers ?? [])].filter(
      ({ name }) => name !== "init-permissions",
    );
    for (const { securityContext } of rest)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
    const changed = pod.initContainers?.find(({ name }) => name === "init-permissions");
    expect(changed?.securityContext).toMatchObject({ runAsUser: 0, capabilities: { drop: ["ALL"], add: ["CHOWN"] } });
  });
});

test("the objects come in the spec's order", () => {
  const kinds = desiredObjects(aRouteNest(), someSecrets).map(({ kind }) => kind);
  const order = [
    "Namespace",
    "ServiceAccount",
    "Role",
    "RoleBinding",
    "PersistentVolumeClaim",
    "ConfigMap",
    "Secret",
    "Service",
    "Route",
    "Deployment",
  ];
  expect([...new Set(kinds)].filter((kind) => order.includes(kind))).toEqual(order);
});

test("nest-anyuid binds the cluster's security class, and is there only where the cluster names one", () => {
  const binding = named(desiredObjects(aRouteNest()), "RoleBinding", "nest-anyuid");
  expect(binding.roleRef).toMatchObject({ kind: "ClusterRole", name: "system:openshift:scc:anyuid" });
  expect(desiredObjects(aNest()).some(({ metadata }) => metadata.name === "nest-anyuid")).toBe(false);
});

test("Routes lead to dashboard and terminal over edge TLS, and redirect what is insecure", () => {
  const objects = desiredObjects(aRouteNest());
  for (const [name, path, port] of [
    ["nest-dashboard", "/", "dashboard"],
    ["nest-terminal", "/terminal", "terminal"],
  ] as const)
    expect(named(objects, "Route", name).spec).toMatchObject({
      host: "hosted-acme-widgets-ab12.apps.example.org",
      path,
      port: { targetPort: port },
      tls: { termination: "edge", insecureEdgeTerminationPolicy: "Redirect" },
    });
});

test("the Ingress asks auth-check for every path, and leads only pages to the sign-in", () => {
  const ingresses = desiredObjects(aNest()).filter(({ kind }) => kind === "Ingress");
  expect(ingresses).toHaveLength(3);
  for (const { metadata } of ingresses) {
    const { annotations = {} } = metadata;
    expect(annotations["nginx.ingress.kubernetes.io/auth-url"]).toBe(
      "https://hub.example.org/api/saas/auth-check?nest=hosted-acme-widgets-ab12",
    );
    expect(annotations["nginx.ingress.kubernetes.io/auth-response-headers"]).toBe(
      "X-Nest-User,X-Nest-Role,X-Nest-Proxy-Auth",
    );
    const leads = "nginx.ingress.kubernetes.io/auth-signin" in annotations;
    expect(leads).toBe(metadata.name === "nest-dashboard");
  }
});

describe("the seed of nest.yaml", () => {
  const seed = (spec = aNest()) => {
    const data = named(desiredObjects(spec), "ConfigMap", "nest-config").data as Record<string, string>;
    return parse(data["nest.yaml"] ?? "") as Record<string, Record<string, unknown>>;
  };

  test("an instance without an app has a placeholder app id, so that it boots", () => {
    expect(seed(aNest({ auth: { kind: "none" } })).github).toEqual({ app_id: "placeholder" });
  });

  test("behind the hub's ingress it believes the proxy; on Routes it signs people in itself", () => {
    expect(seed().dashboard).toMatchObject({ hub_proxied: true, port: 3002 });
    const routed = seed(aRouteNest());
    expect(routed.dashboard).toMatchObject({ hub_proxied: false, authorized_users: ["octo:owner"] });
    expect(routed.github).toMatchObject({ oauth_client_id: "Iv1.0123456789abcdef" });
  });

  test("a token is named by its variable and not written", () => {
    expect(seed(aNest({ auth: { kind: "token" } })).github).toEqual({ token: `\${NEST_GITHUB_TOKEN}` });
  });

  test("it says hosted, its level and whether it is public", () => {
    const tree = seed();
    expect(tree.hub).toMatchObject({ nest_type: "hosted", is_public: true, url: "https://hub.example.org" });
    expect(tree.acmm_level).toBe(2);
  });
});

test("YAML of the objects reads back as the objects", () => {
  const objects = desiredObjects(aNest(), someSecrets);
  expect(parseAllDocuments(yamlOf(objects)).map((one) => one.toJS())).toEqual(objects);
});

test.each([
  ["id", aNest({ id: "../../etc" })],
  ["id", aNest({ id: "a".repeat(52) })],
  ["image", aNest({ image: "nest\n  privileged: true" })],
  ["hub.url", aNest({ hub: { id: "h", url: 'https://hub.example.org/";return 200;#', isProxy: true } })],
  ["cluster.tls_secret", aNest({ cluster: { id: "east", tls_secret: "a\nb" } })],
  ["project.repos", aNest({ project: { ...aNest().project, repos: ["acme/.."] } })],
])("a bad %s is refused by name", (field, spec) => {
  expect(() => desiredObjects(spec)).toThrow(NestError);
  expect(() => desiredObjects(spec)).toThrow(field);
});
