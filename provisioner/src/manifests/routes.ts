import { metadataOf } from "./metadata.ts";
import type { DesiredObject } from "./object.ts";
import { hostOf, type NestSpec } from "./spec.ts";

/** How browsers reach a nest on a cluster with Routes (spec: Manual provisioning object set, 7). */
export function routes(spec: NestSpec): readonly DesiredObject[] {
  const host = hostOf(spec);
  if (host === undefined) return [];
  return [
    route(spec, { name: "nest-dashboard", host, path: "/", port: "dashboard" }),
    route(spec, { name: "nest-terminal", host, path: "/terminal", port: "terminal" }),
  ];
}

interface Entrance {
  readonly name: string;
  readonly host: string;
  readonly path: string;
  readonly port: string;
}

function route(spec: NestSpec, { name, host, path, port }: Entrance): DesiredObject {
  // Terminals and streams are silent for long; the router would cut them after half a minute.
  const annotations = { "haproxy.router.openshift.io/timeout": "1h" };
  return {
    apiVersion: "route.openshift.io/v1",
    kind: "Route",
    metadata: { ...metadataOf(spec, name), annotations },
    spec: {
      host,
      path,
      to: { kind: "Service", name: "nest", weight: 100 },
      port: { targetPort: port },
      tls: { termination: "edge", insecureEdgeTerminationPolicy: "Redirect" },
      wildcardPolicy: "None",
    },
  };
}
