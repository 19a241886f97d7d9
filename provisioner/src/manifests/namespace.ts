import { namespaceOf } from "@nest/protocol";
import { HUB_ANNOTATION, labelsOf, metadataOf } from "./metadata.ts";
import type { DesiredObject } from "./object.ts";
import type { NestSpec } from "./spec.ts";

/**
 * The Namespace. Pods may be `baseline` and not `restricted`, because `init-permissions` is root to change the owner of `/data`;
 * everything else in the pod is `restricted`, and the cluster warns of what is not.
 */
export function namespace(spec: NestSpec): DesiredObject {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: namespaceOf(spec.id),
      labels: {
        ...labelsOf(spec),
        "pod-security.kubernetes.io/enforce": "baseline",
        "pod-security.kubernetes.io/warn": "restricted",
      },
      annotations: { [HUB_ANNOTATION]: spec.hub.id, "nest/project": spec.project.name },
    },
  };
}

export function serviceAccount(spec: NestSpec): DesiredObject {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: metadataOf(spec, "nest-sa") };
}
