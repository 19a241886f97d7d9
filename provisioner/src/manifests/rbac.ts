import { namespaceOf } from "@nest/protocol";
import { metadataOf } from "./metadata.ts";
import type { DesiredObject } from "./object.ts";
import type { NestSpec } from "./spec.ts";

const GROUP = "rbac.authorization.k8s.io";

/** The nest's roles, with the verbs that the spec names and no others, and who has them. */
export function rbac(spec: NestSpec): readonly DesiredObject[] {
  const writer = role(spec, "nest-secrets-writer", [
    { apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch", "create", "update", "patch"] },
  ]);
  const upgrade = role(spec, "nest-self-upgrade", [
    {
      apiGroups: ["apps"],
      resources: ["deployments", "deployments/scale"],
      verbs: ["get", "list", "watch", "update", "patch"],
    },
    { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch", "delete"] },
  ]);
  const bindings = [
    binding(spec, "nest-secrets-writer", { kind: "Role", name: "nest-secrets-writer" }),
    binding(spec, "nest-self-upgrade", { kind: "Role", name: "nest-self-upgrade" }),
  ];
  const { scc } = spec.cluster;
  if (scc !== undefined)
    bindings.push(binding(spec, "nest-anyuid", { kind: "ClusterRole", name: `system:openshift:scc:${scc}` }));
  return [writer, upgrade, ...bindings];
}

function role(spec: NestSpec, name: string, rules: readonly object[]): DesiredObject {
  return { apiVersion: `${GROUP}/v1`, kind: "Role", metadata: metadataOf(spec, name), rules };
}

/** The subject's namespace is the nest's own: with another one the pod gets the restricted class and ends with 255. */
function binding(spec: NestSpec, name: string, to: { readonly kind: string; readonly name: string }): DesiredObject {
  return {
    apiVersion: `${GROUP}/v1`,
    kind: "RoleBinding",
    metadata: metadataOf(spec, name),
    roleRef: { apiGroup: GROUP, ...to },
    subjects: [{ kind: "ServiceAccount", name: "nest-sa", namespace: namespaceOf(spec.id) }],
  };
}
