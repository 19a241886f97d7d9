import type { FastifyReply } from "fastify";

/** No inline script or style, nothing from elsewhere, no framing. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sends a server-made page under the strict policy. */
export function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .header("content-security-policy", PAGE_POLICY)
    .header("x-content-type-options", "nosniff")
    .header("referrer-policy", "no-referrer")
    .header("cache-control", "no-cache")
    .type("text/html; charset=utf-8")
    .send(html);
}
