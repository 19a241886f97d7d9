import type { IncomingMessage } from "node:http";
import { KnownHosts, NestError } from "@nest/kit";

/** What a server calls itself when it refuses an unknown host name, and how its operator adds that name. */
export interface HostNames {
  readonly what: "hub" | "nest";
  readonly hint: string;
}

export interface HostRules {
  /** Names of this server, each a host, a web address or `*.example.org`. */
  readonly names: readonly string[];
  /** Whether a peer is a proxy whose `X-Forwarded-Host` is believed. */
  readonly isProxy: (address: string) => boolean;
  /** True when the operator named the proxies; false when the default applies (this machine). */
  readonly proxiesAreNamed: boolean;
  /** Whether a request comes from a proxy that lets only its own host names through. No request does unless this is given. */
  readonly isVouchedFor?: (request: IncomingMessage) => boolean;
}

/**
 * Whether a request names this server by a host name that it knows. Refusing the others stops DNS rebinding: a page of another
 * site whose host name was made to point here.
 *
 * If the operator named the proxies, the host name that a proxy forwards counts. By default every peer on this machine counts
 * as a proxy, and one of them may be a browser with a hostile page: then both `Host` and the forwarded name must be known.
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

/** The error for a request under an unknown host name: 421. */
export function misdirected({ what, hint }: HostNames): NestError {
  return new NestError("misdirected_request", `this ${what} is not known by the name in the Host header`, { hint });
}

/** The entry that the nearest proxy added to a comma-separated header. */
function lastOf(header: string | string[] | undefined): string | undefined {
  return [header].flat().at(-1)?.split(",").at(-1)?.trim();
}
