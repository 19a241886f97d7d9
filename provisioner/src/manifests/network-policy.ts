import { metadataOf } from "./metadata.ts";
import type { DesiredObject } from "./object.ts";
import type { NestSpec } from "./spec.ts";

const DASHBOARD = 3002;
const TERMINAL = 3001;

/** Only the ingress controller and the nest's own namespace reach a nest; a nest reaches everything. */
export function networkPolicy(spec: NestSpec): DesiredObject {
  const ports = [DASHBOARD, TERMINAL].map((port) => ({ protocol: "TCP", port }));
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: metadataOf(spec, "nest"),
    spec: {
      podSelector: {},
      policyTypes: ["Ingress", "Egress"],
      ingress: [{ from: [{ podSelector: {} }] }, { from: [{ namespaceSelector: controller(spec) }], ports }],
      egress: [{}],
    },
  };
}

/** The namespace of the ingress controller. OpenShift labels it; elsewhere it is known by name (`ingress_namespace`). */
function controller({ cluster }: NestSpec): object {
  if (cluster.ingress === "route") return { matchLabels: { "policy-group.network.openshift.io/ingress": "" } };
  const named = cluster.ingress_namespace;
  return { matchLabels: { "kubernetes.io/metadata.name": typeof named === "string" ? named : "ingress-nginx" } };
}
