import type { IncomingMessage } from "node:http";
import { KnownHosts, NestError } from "@nest/kit";

/** How a server calls itself to whoever asked for another one, and how its operator gives it that name. */
export interface HostNames {
  readonly what: "hub" | "nest";
  readonly hint: string;
}

export interface HostRules {
  /** Names of this server, each a host, a web address or `*.example.org`. */
  readonly names: readonly string[];
  /** Whether a peer is a proxy whose `X-Forwarded-Host` is believed. */
  readonly isProxy: (address: string) => boolean;
  /** Whether the operator named the proxies, and not the default (this machine) holds. */
  readonly proxiesAreNamed: boolean;
  /** Whether a request comes from a proxy that lets only its own names through. None does unless given. */
  readonly isVouchedFor?: (request: IncomingMessage) => boolean;
}

/**
 * Whether a request asks for this server by a name that it knows (contract §8, Wire 17): a page of another site whose name was
 * made to point here (DNS rebinding) is told apart by it.
 *
 * A proxy that the operator named speaks for itself: the name that it forwards counts. By default every peer on this machine
 * is believed, a browser with a hostile page among them: then both names must be known.
 */
export function knownHost({
  names,
  isProxy,
  proxiesAreNamed,
  isVouchedFor,
}: HostRules): (request: IncomingMessage) => boolean {
  const known = new KnownHosts(names);
  return (request) => {
    const { headers, socket } = request;
    if (isVouchedFor?.(request) === true) return true;
    const forwarded = isProxy(socket.remoteAddress ?? "") ? lastOf(headers["x-forwarded-host"]) : undefined;
    if (forwarded === undefined) return known.has(headers.host);
    return known.has(forwarded) && (proxiesAreNamed || known.has(headers.host));
  };
}

/** What is thrown at a request by an unknown name: 421. */
export function misdirected({ what, hint }: HostNames): NestError {
  return new NestError("misdirected_request", `this ${what} is not known by the name in the Host header`, { hint });
}

/** Of a list that several proxies wrote, the entry of the nearest. */
function lastOf(header: string | string[] | undefined): string | undefined {
  return [header].flat().at(-1)?.split(",").at(-1)?.trim();
}
