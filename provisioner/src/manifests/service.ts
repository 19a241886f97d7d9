import { ownedMetadataOf } from "./metadata.ts";
import type { DesiredObject } from "./object.ts";
import type { NestSpec } from "./spec.ts";

export function service(spec: NestSpec): DesiredObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: ownedMetadataOf(spec, "nest"),
    spec: {
      type: "ClusterIP",
      selector: { app: "nest" },
      ports: [
        { name: "dashboard", port: 3002, targetPort: "dashboard", protocol: "TCP" },
        { name: "terminal", port: 3001, targetPort: "terminal", protocol: "TCP" },
      ],
    },
  };
}
