import type { FastifyReply, FastifyRequest } from "fastify";

/** The cookies of a request; of one sent twice the first counts. */
export function cookiesOf({ cookies }: FastifyRequest): ReadonlyMap<string, string> {
  return new Map(Object.entries(cookies).filter((one): one is [string, string] => one[1] !== undefined));
}

/** Sets a cookie that scripts cannot read and other sites' forms do not send; one set over https is sent over https only. */
export function setCookie(reply: FastifyReply, name: string, value: string, maxAgeSeconds: number): void {
  reply.setCookie(name, value, {
    path: "/",
    maxAge: maxAgeSeconds,
    httpOnly: true,
    sameSite: "lax",
    secure: reply.request.protocol === "https",
  });
}

export function clearCookie(reply: FastifyReply, name: string): void {
  setCookie(reply, name, "", 0);
}
