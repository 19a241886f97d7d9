import type { IncomingMessage } from "node:http";
import { sameSecret } from "@nest/auth";
import { areAddresses, trustIn } from "@nest/http";
import type { Secret } from "@nest/kit";

/** Roles on a nest, rising. */
export const roles = ["read", "read-write", "merger", "owner"] as const;
export type Role = (typeof roles)[number];

/** Why nobody is known to ask: nobody is signed in, or the hub's proxy in front named no role that there is. */
type Unknown = "no session" | "no role";

/** Who asks: somebody the proxy in front vouches for; somebody unknown who may read all the same; anybody else. */
export type Visitor =
  | { readonly kind: "known"; readonly login: string; readonly role: Role }
  | { readonly kind: "reader"; readonly because: Unknown; readonly sees: "public" | "everything" }
  | { readonly kind: "stranger"; readonly because: Unknown };

export interface VisitorRules {
  /** Whether the hub's proxy stands in front and says who asks. */
  readonly hubProxied: boolean;
  /** Addresses and networks (`10.0.0.0/8`) of proxies that are believed. */
  readonly trustedProxies: readonly string[];
  /** What a proxy elsewhere proves itself with (`X-Nest-Proxy-Auth`). */
  readonly proxyAuth: Secret | undefined;
  /**
   * What somebody unknown may read: `everything` where only this machine can reach the nest and no proxy is in front; on a public
   * nest what is `public`; else nothing.
   */
  readonly strangersSee: "nothing" | "public" | "everything";
}

/** What of a request says who asks: its peer, and its headers as they came, because one that came twice is none. */
export type Asking = Pick<IncomingMessage, "rawHeaders"> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/** What a nest believes of those who ask: the one judgement for every page, route and socket. */
export interface Doorkeeper {
  /** Who asks. */
  judge(asking: Asking): Visitor;
  /** Whether a request comes from a proxy whose headers are believed. */
  isFromProxy(asking: Asking): boolean;
  /** Whether it comes from a proxy that was named, or that proves itself; not from any program on this machine. */
  isFromNamedProxy(asking: Asking): boolean;
}

/**
 * Judges by `X-Nest-User` and `X-Nest-Role` (contract §3, Who may). They are believed only behind the hub's proxy, and only from
 * it: a peer on this machine, one in `dashboard.trusted_proxies`, or one with the right `X-Nest-Proxy-Auth`. A missing, repeated
 * or unknown role is no role.
 */
export function doorkeeper({ hubProxied, trustedProxies, proxyAuth, strangersSee }: VisitorRules): Doorkeeper {
  const isNamed = trustIn(trustedProxies.filter((one) => areAddresses([one])));
  const isHere = trustIn(["loopback"]);
  const isFromNamedProxy = ({ socket, rawHeaders }: Asking) =>
    hubProxied && (isNamed(socket.remoteAddress ?? "", 0) || provesItself(rawHeaders, proxyAuth));
  const isFromProxy = (asking: Asking) =>
    hubProxied && (isHere(asking.socket.remoteAddress ?? "", 0) || isFromNamedProxy(asking));
  return {
    isFromProxy,
    isFromNamedProxy,
    judge(asking) {
      const role = isFromProxy(asking)
        ? roles.find((one) => one === onlyOne(asking.rawHeaders, "x-nest-role"))
        : undefined;
      if (role !== undefined) return { kind: "known", login: onlyOne(asking.rawHeaders, "x-nest-user") ?? role, role };
      const because = hubProxied ? "no role" : "no session";
      return strangersSee === "nothing"
        ? { kind: "stranger", because }
        : { kind: "reader", because, sees: strangersSee };
    },
  };
}

function provesItself(rawHeaders: readonly string[], proxyAuth: Secret | undefined): boolean {
  const given = onlyOne(rawHeaders, "x-nest-proxy-auth");
  return proxyAuth !== undefined && given !== undefined && sameSecret(given, proxyAuth.reveal());
}

function onlyOne(rawHeaders: readonly string[], name: string): string | undefined {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? "");
  }
  return values.length === 1 ? values[0] : undefined;
}
