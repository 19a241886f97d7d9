import type { IncomingMessage } from "node:http";
import { cookieIn, isProxyProof } from "@nest/auth";
import { areAddresses, trustIn } from "@nest/http";
import type { Secret } from "@nest/kit";

/** Roles on a nest, rising. */
export const roles = ["read", "read-write", "merger", "owner"] as const;
export type Role = (typeof roles)[number];

/** Why nobody is known to ask: nobody is signed in, or the hub's proxy in front named no role that there is. */
type Unknown = "no session" | "no role";

/** The cookie of a session of this nest's own sign-in. */
export const SESSION_COOKIE = "nest_session";

/** Who asks: somebody whom the proxy in front or a session vouches for; somebody unknown who may read all the same; anybody else. */
export type Visitor =
  | { readonly kind: "known"; readonly login: string; readonly role: Role }
  | { readonly kind: "reader"; readonly because: Unknown; readonly sees: "public" | "everything" }
  | { readonly kind: "stranger"; readonly because: Unknown };

export interface VisitorRules {
  /** Whether the hub's proxy stands in front and says who asks. */
  readonly hubProxied: boolean;
  /** Addresses and networks (`10.0.0.0/8`) of proxies that are believed. */
  readonly trustedProxies: readonly string[];
  /** The token by which a proxy elsewhere proves itself (`X-Nest-Proxy-Auth`): itself, or the hub's proof of one user and role. */
  readonly proxyAuth: Secret | undefined;
  readonly now: () => number;
  /**
   * What somebody unknown may read: `everything` where only this machine can reach the nest and no proxy is in front; on a public
   * nest what is `public`; else nothing.
   */
  readonly strangersSee: "nothing" | "public" | "everything";
  /** Whether the nest runs in a container, whose loopback its agents share. */
  readonly inContainer?: boolean;
  /** The host names with ports of the address that people use; a page from there is the nest's own. */
  readonly ownHosts?: readonly string[];
  /** Who a session's token authenticates now, with the role that they have now. Asked where no hub's proxy is in front. */
  readonly sessionOf?: (token: string | undefined) => { readonly login: string; readonly role: Role } | undefined;
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
  /** Whether a peer was named as a proxy: then it is believed about the client's address, host name and protocol. */
  isNamedProxy(address: string): boolean;
  /** The host names by which a request asks: pages from there are the nest's own. */
  hostsOf(request: Pick<IncomingMessage, "headers"> & Asking): readonly (string | undefined)[];
}

/**
 * Judges by `X-Nest-User` and `X-Nest-Role`. They are believed only behind the hub's proxy, and only from
 * it: a peer on this machine, one in `dashboard.trusted_proxies`, or one with the right `X-Nest-Proxy-Auth`. A missing, repeated
 * or unknown role is no role. Without a hub's proxy the session of the nest's own sign-in says who asks, and nothing else does.
 */
export function doorkeeper(rules: VisitorRules): Doorkeeper {
  const {
    hubProxied,
    trustedProxies,
    proxyAuth,
    now,
    strangersSee,
    inContainer = false,
    ownHosts = [],
    sessionOf,
  } = rules;
  const isNamed = trustIn(trustedProxies.filter((one) => areAddresses([one])));
  const isHere = trustIn(["loopback"]);
  const isFromNamedProxy = ({ socket, rawHeaders }: Asking) =>
    isNamed(socket.remoteAddress ?? "", 0) || (hubProxied && provesItself(rawHeaders, proxyAuth, now()));
  // In a container the agents are on loopback too: where a proxy can prove itself there, it has to.
  const believesHere = !(inContainer && proxyAuth !== undefined);
  const isFromProxy = (asking: Asking) =>
    hubProxied && ((believesHere && isHere(asking.socket.remoteAddress ?? "", 0)) || isFromNamedProxy(asking));
  return {
    isFromProxy,
    isFromNamedProxy,
    isNamedProxy: (address) => isNamed(address, 0),
    hostsOf(request) {
      const isForwarded = isFromProxy(request) || isFromNamedProxy(request);
      const forwarded = isForwarded ? request.headers["x-forwarded-host"] : undefined;
      return [request.headers.host, ...[forwarded].flat(), ...ownHosts];
    },
    judge(asking) {
      const session = hubProxied ? undefined : sessionOf?.(cookieIn(asking.rawHeaders, SESSION_COOKIE));
      if (session !== undefined) return { kind: "known", ...session };
      const role = isFromProxy(asking)
        ? roles.find((one) => one === onlyOne(asking.rawHeaders, "x-nest-role"))
        : undefined;
      if (role !== undefined) return { kind: "known", login: onlyOne(asking.rawHeaders, "x-nest-user") ?? role, role };
      const because = hubProxied ? "no role" : "no session";
      // A proxy on this machine that nobody named brings people from anywhere.
      const sees = strangersSee === "everything" && wasForwarded(asking.rawHeaders) ? "nothing" : strangersSee;
      return sees === "nothing" ? { kind: "stranger", because } : { kind: "reader", because, sees };
    },
  };
}

function wasForwarded(rawHeaders: readonly string[]): boolean {
  return rawHeaders.some((name, at) => at % 2 === 0 && /^(?:x-)?forwarded(?:-|$)/i.test(name));
}

function provesItself(rawHeaders: readonly string[], proxyAuth: Secret | undefined, now: number): boolean {
  const given = onlyOne(rawHeaders, "x-nest-proxy-auth");
  if (proxyAuth === undefined || given === undefined) return false;
  const whom = { user: onlyOne(rawHeaders, "x-nest-user"), role: onlyOne(rawHeaders, "x-nest-role") };
  return isProxyProof(given, proxyAuth, whom, now);
}

function onlyOne(rawHeaders: readonly string[], name: string): string | undefined {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? "");
  }
  return values.length === 1 ? values[0] : undefined;
}
