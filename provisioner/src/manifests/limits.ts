import { metadataOf } from "./metadata.ts";
import type { DesiredObject } from "./object.ts";
import type { NestSpec } from "./spec.ts";

/**
 * What one nest may use of its cluster. During an upgrade two pods run side by side, and a move adds one that copies, so
 * everything is there three times.
 */
export function resourceQuota(spec: NestSpec): DesiredObject {
  return {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: metadataOf(spec, "nest-quota"),
    spec: {
      hard: {
        pods: "10",
        "requests.cpu": "3",
        "requests.memory": "12Gi",
        "limits.cpu": "8",
        "limits.memory": "48Gi",
        persistentvolumeclaims: "2",
        "requests.storage": "100Gi",
        services: "5",
        "services.loadbalancers": "0",
        "services.nodeports": "0",
        secrets: "20",
        configmaps: "20",
      },
    },
  };
}

/** What a container without limits of its own gets: with the quota in force one without any would be refused. */
export function limitRange(spec: NestSpec): DesiredObject {
  return {
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: metadataOf(spec, "nest-limits"),
    spec: {
      limits: [
        {
          type: "Container",
          default: { cpu: "1", memory: "1Gi" },
          defaultRequest: { cpu: "50m", memory: "64Mi" },
        },
      ],
    },
  };
}
