import type { KubernetesObject } from "@nest/cluster";

const NGINX = "nginx.ingress.kubernetes.io";

/** One path of a host, as an Ingress object with nginx's annotations describes it. */
export interface Door {
  readonly namespace: string;
  readonly host: string;
  readonly path: string;
  readonly service: string;
  readonly port: string | number;
  /** Who is asked for each request; undefined: nobody. */
  readonly authUrl: string | undefined;
  /** Where a browser without a session is sent; undefined: it gets the 401. */
  readonly signInUrl: string | undefined;
  /** Headers of the answer that are passed on to the pod, in place of what the browser sent under these names. */
  readonly passedHeaders: readonly string[];
}

interface IngressSpec {
  readonly rules?: readonly {
    readonly host?: string;
    readonly http?: {
      readonly paths?: readonly {
        readonly path?: string;
        readonly backend?: {
          readonly service?: {
            readonly name: string;
            readonly port: { readonly name?: string; readonly number?: number };
          };
        };
      }[];
    };
  }[];
}

/** The doors that an Ingress object describes. */
export function doorsOf({ metadata, spec }: KubernetesObject): readonly Door[] {
  const { annotations = {}, namespace = "" } = metadata;
  const headers = (annotations[`${NGINX}/auth-response-headers`] ?? "").split(",").map((name) => name.trim());
  const judged = {
    authUrl: annotations[`${NGINX}/auth-url`],
    signInUrl: annotations[`${NGINX}/auth-signin`],
    passedHeaders: headers.filter((name) => name !== "").map((name) => name.toLowerCase()),
  };
  return (
    ((spec ?? {}) as IngressSpec).rules?.flatMap(({ host, http }) =>
      (http?.paths ?? []).flatMap(({ path = "/", backend }) => {
        const service = backend?.service;
        if (host === undefined || service === undefined) return [];
        const port = service.port.name ?? service.port.number ?? 0;
        return [{ namespace, host: host.toLowerCase(), path, service: service.name, port, ...judged }];
      }),
    ) ?? []
  );
}

/** The door for an address: of its host the one with the longest path, element by element (pathType `Prefix`). */
export function doorFor(doors: readonly Door[], host: string, path: string): Door | undefined {
  const fits = (door: Door) => {
    const prefix = door.path.replace(/\/+$/, "");
    return door.host === host && (path === prefix || path.startsWith(`${prefix}/`));
  };
  return doors.filter(fits).sort((one, other) => other.path.length - one.path.length)[0];
}
