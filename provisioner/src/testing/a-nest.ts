import { Secret } from "@nest/kit";
import type { NestSecrets, NestSpec } from "../manifests/spec.ts";

/** A nest as tests want it; `over` replaces whole fields. */
export function aNest(over: Partial<NestSpec> = {}): NestSpec {
  return {
    id: "hosted-acme-widgets-ab12",
    owner: "octo",
    cluster: { id: "east", in_cluster: true, domain: "nests.example.org", ingress: "ingress", ingress_class: "nginx" },
    project: {
      org: "acme",
      repos: ["acme/widgets", "acme/gears"],
      primaryRepo: "acme/widgets",
      name: "Widgets",
      level: 2,
      isPublic: true,
    },
    auth: { kind: "app", appId: "123", installationId: "456" },
    image: "registry.example.org/nest-spoke:1.2.3",
    replicas: 1,
    hub: { id: "hub-one", url: "https://hub.example.org", isProxy: true },
    ...over,
  };
}

/** The same on a cluster with Routes and security classes. */
export function aRouteNest(): NestSpec {
  const cluster = { id: "west", domain: "apps.example.org", ingress: "route", scc: "anyuid" } as const;
  return aNest({ cluster: { ...cluster, storage_class: "shared-files" }, oauthClientId: "Iv1.0123456789abcdef" });
}

export const someSecrets: NestSecrets = {
  dashboardToken: new Secret("d".repeat(64)),
  hubSecret: new Secret("the-secret-of-all-heartbeats"),
  appKey: new Secret("-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n"),
};
