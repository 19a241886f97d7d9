import type { FastifyReply, FastifyRequest } from "fastify";

/** The cookies of a request; of one sent twice the first counts. */
export function cookiesOf(request: FastifyRequest): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const part of (request.headers.cookie ?? "").slice(0, 16_384).split(";")) {
    const at = part.indexOf("=");
    const name = part.slice(0, at).trim();
    if (at > 0 && !cookies.has(name)) cookies.set(name, unquoted(part.slice(at + 1).trim()));
  }
  return cookies;
}

function unquoted(value: string): string {
  try {
    return decodeURIComponent(value.replace(/^"(.*)"$/, "$1"));
  } catch {
    return "";
  }
}

/** Sets a cookie that scripts cannot read and other sites' forms do not send; over https it stays there. */
export function setCookie(reply: FastifyReply, name: string, value: string, maxAgeSeconds: number): void {
  const secure = reply.request.protocol === "https" ? "; Secure" : "";
  reply.header(
    "set-cookie",
    `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`,
  );
}

/** Takes a cookie back. */
export function clearCookie(reply: FastifyReply, name: string): void {
  setCookie(reply, name, "", 0);
}
