import type { IncomingMessage } from "node:http";
import proxyAddress from "@fastify/proxy-addr";

/** Whether a peer, this many hops away, is a trusted proxy. */
export type Trust = (address: string, hop: number) => boolean;

/** Whether these are addresses, ranges (`10.0.0.0/8`) or words for such (`loopback`). */
export function areAddresses(addresses: readonly string[]): boolean {
  try {
    proxyAddress.compile([...addresses]);
    return true;
  } catch {
    return false;
  }
}

/** Trusts these addresses, ranges and words for ranges. @throws TypeError for anything else. */
export function trustIn(addresses: readonly string[]): Trust {
  return proxyAddress.compile([...addresses]);
}

/** The client's address; behind trusted proxies, the address that they report. */
export function addressOf(request: IncomingMessage, trusted: Trust): string {
  return proxyAddress(request, trusted);
}
