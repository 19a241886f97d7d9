import { createHash, timingSafeEqual } from "node:crypto";
import { BlockList, isIP } from "node:net";
import type { Secret } from "@nest/kit";
import { isLoopback } from "../config/settings.ts";

/** Roles on a nest, rising. */
export const roles = ["read", "read-write", "merger", "owner"] as const;
export type Role = (typeof roles)[number];

/** Who asks: somebody the proxy in front vouches for, or nobody known. */
export type Visitor =
  | { readonly kind: "known"; readonly login: string; readonly role: Role }
  | { readonly kind: "refused"; readonly because: "no session" | "no role" };

export interface VisitorRules {
  readonly hubProxied: boolean;
  /** Addresses and networks (`10.0.0.0/8`) of proxies that are believed. */
  readonly trustedProxies: readonly string[];
  /** What a proxy elsewhere proves itself with (`X-Nest-Proxy-Auth`). */
  readonly proxyAuth: Secret | undefined;
}

/** What of a request says who asks; `rawHeaders` because a header that came twice is no header. */
export interface Asking {
  readonly peer: string;
  readonly rawHeaders: readonly string[];
}

/**
 * Who asks (contract §3, Who may). `X-Nest-User` and `X-Nest-Role` are believed only behind the hub's proxy and only from it;
 * a missing, repeated or unknown role is no role.
 */
export function visitorOf(asking: Asking, rules: VisitorRules): Visitor {
  if (!rules.hubProxied) return { kind: "refused", because: "no session" };
  if (!isProxy(asking, rules)) return { kind: "refused", because: "no role" };
  const role = roles.find((one) => one === onlyOne(asking.rawHeaders, "x-nest-role"));
  if (role === undefined) return { kind: "refused", because: "no role" };
  return { kind: "known", login: onlyOne(asking.rawHeaders, "x-nest-user") ?? role, role };
}

/** Whether a request comes from a proxy that was named, or that proves itself; not from any program on this machine. */
export function isNamedProxy(
  { peer, rawHeaders }: Asking,
  { hubProxied, trustedProxies, proxyAuth }: VisitorRules,
): boolean {
  return hubProxied && (isListed(peer, trustedProxies) || provesItself(rawHeaders, proxyAuth));
}

function isProxy({ peer, rawHeaders }: Asking, { trustedProxies, proxyAuth }: VisitorRules): boolean {
  return isLoopback(peer) || isListed(peer, trustedProxies) || provesItself(rawHeaders, proxyAuth);
}

function provesItself(rawHeaders: readonly string[], proxyAuth: Secret | undefined): boolean {
  const given = onlyOne(rawHeaders, "x-nest-proxy-auth");
  return proxyAuth !== undefined && given !== undefined && same(given, proxyAuth.reveal());
}

function isListed(peer: string, listed: readonly string[]): boolean {
  const list = new BlockList();
  for (const entry of listed) {
    const [address = "", bits] = entry.split("/");
    const family = isIP(address);
    if (family === 0) continue;
    const kind = family === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, kind);
    else if (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32))
      list.addSubnet(address, Number(bits), kind);
  }
  const plain = peer.startsWith("::ffff:") ? peer.slice("::ffff:".length) : peer;
  const family = isIP(plain);
  return family !== 0 && list.check(plain, family === 6 ? "ipv6" : "ipv4");
}

function onlyOne(rawHeaders: readonly string[], name: string): string | undefined {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? "");
  }
  return values.length === 1 ? values[0] : undefined;
}

function same(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
