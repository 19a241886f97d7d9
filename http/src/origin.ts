import type { FastifyRequest } from "fastify";

/** What of a request tells which page asked for it. */
export interface Asked {
  readonly method: string;
  readonly headers: FastifyRequest["headers"];
}

/** Whether a request can change nothing: another site's page may make a browser send it. */
export function isSafe({ method }: Asked): boolean {
  return method === "GET" || method === "HEAD" || method === "OPTIONS";
}

/**
 * Whether a browser says that another site's page sends this request (contract §3). A program says nothing of the kind, and is
 * no other site's page.
 *
 * @param hosts the names, with their ports, by which this server was asked.
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
