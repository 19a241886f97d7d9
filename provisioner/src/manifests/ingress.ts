import { metadataOf } from "./metadata.ts";
import type { DesiredObject } from "./object.ts";
import { hostOf, isHubProxied, type NestSpec } from "./spec.ts";

const NGINX = "nginx.ingress.kubernetes.io";
/** An idle terminal or stream stays open so long, in seconds. */
const LONG_S = "3600";

/**
 * How browsers reach a nest through nginx: its pages, its API and its terminal on one host. Every request is judged by the hub's
 * `auth-check`. Only pages lead to the sign-in: a script that calls the API has to get the 401 itself.
 */
export function ingress(spec: NestSpec): readonly DesiredObject[] {
  const host = hostOf(spec);
  if (host === undefined) return [];
  const long = { [`${NGINX}/proxy-read-timeout`]: LONG_S, [`${NGINX}/proxy-send-timeout`]: LONG_S };
  return [
    one(spec, { name: "nest-dashboard", path: "/", port: "dashboard", annotations: { ...long, ...signIn(spec) } }),
    one(spec, { name: "nest-api", path: "/api", port: "dashboard", annotations: long }),
    one(spec, { name: "nest-terminal", path: "/terminal", port: "terminal", annotations: long }),
  ];
}

interface Entrance {
  readonly name: string;
  readonly path: string;
  readonly port: "dashboard" | "terminal";
  readonly annotations: Readonly<Record<string, string>>;
}

function one(spec: NestSpec, { name, path, port, annotations }: Entrance): DesiredObject {
  const host = hostOf(spec);
  const { ingress_class: ingressClass, tls_secret: tlsSecret } = spec.cluster;
  const backend = { service: { name: "nest", port: { name: port } } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { ...metadataOf(spec, name), annotations: { ...judged(spec), ...annotations } },
    spec: {
      ...(ingressClass === undefined ? {} : { ingressClassName: ingressClass }),
      // Without a name the controller's default certificate serves, which is the wildcard's where it was set up so.
      tls: [{ hosts: [host], ...(tlsSecret === undefined ? {} : { secretName: tlsSecret }) }],
      rules: [{ host, http: { paths: [{ path, pathType: "Prefix", backend }] } }],
    },
  };
}

/** The headers in `auth-response-headers` replace what a browser sent under these names. */
function judged(spec: NestSpec): Readonly<Record<string, string>> {
  if (!isHubProxied(spec)) return {};
  return {
    [`${NGINX}/auth-url`]: `${hubBase(spec)}/api/saas/auth-check?nest=${spec.id}`,
    [`${NGINX}/auth-response-headers`]: "X-Nest-User,X-Nest-Role,X-Nest-Proxy-Auth",
  };
}

/** nginx adds `rd`, the address that was asked for. */
function signIn(spec: NestSpec): Readonly<Record<string, string>> {
  return isHubProxied(spec) ? { [`${NGINX}/auth-signin`]: `${hubBase(spec)}/api/saas/nests/${spec.id}/open` } : {};
}

function hubBase(spec: NestSpec): string {
  return spec.hub.url.replace(/\/+$/, "");
}
