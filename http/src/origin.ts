import type { FastifyRequest } from "fastify";

/** The parts of a request that tell which page made it. */
export interface Asked {
  readonly method: string;
  readonly headers: FastifyRequest["headers"];
}

/** Whether a request cannot change anything, so that a page of another site may make a browser send it. */
export function isSafe({ method }: Asked): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

/**
 * Whether a browser reports that a page of another site sends this request. Other programs send no such headers and are let
 * through: only a browser can be made to act for a stranger.
 *
 * @param hosts the host names, with ports, under which the request reached this server.
 */
export function isFromElsewhere({ headers }: Asked, hosts: readonly (string | undefined)[]): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  if (headers.origin === undefined) return false;
  try {
    return !hosts.includes(new URL(headers.origin).host);
  } catch {
    return true;
  }
}
