import type { FastifyReply, FastifyRequest } from "fastify";

/** The cookies of a request; of one sent twice the first counts. */
export function cookiesOf({ cookies }: FastifyRequest): ReadonlyMap<string, string> {
  return new Map(Object.entries(cookies).filter((one): one is [string, string] => one[1] !== undefined));
}

/** A cookie by its name, out of the headers as they came (name, value, name, value …); of one sent twice the first counts. */
export function cookieIn(rawHeaders: readonly string[], name: string): string | undefined {
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== "cookie") continue;
    for (const pair of rawHeaders[at + 1]?.split(";") ?? []) {
      const [key = "", ...rest] = pair.split("=");
      if (key.trim() === name && rest.length > 0) return rest.join("=").trim();
    }
  }
  return undefined;
}

/**
 * Sets a cookie that scripts cannot read and other sites' forms do not send. One set over https is sent over https only: https as
 * a trusted proxy reports it, or as the browser says of its own page in `Origin`.
 */
export function setCookie(reply: FastifyReply, name: string, value: string, maxAgeSeconds: number): void {
  const { protocol, headers } = reply.request;
  reply.setCookie(name, value, {
    path: "/",
    maxAge: maxAgeSeconds,
    httpOnly: true,
    sameSite: "lax",
    secure: protocol === "https" || headers.origin?.startsWith("https://") === true,
  });
}

export function clearCookie(reply: FastifyReply, name: string): void {
  setCookie(reply, name, "", 0);
}
