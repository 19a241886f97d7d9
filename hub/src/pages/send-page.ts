import type { FastifyReply } from "fastify";

export interface PagePolicy {
  /** Styles that carry this, new with each answer, are taken too. */
  readonly styleNonce?: string;
}

/** No inline script or style, nothing from elsewhere, no framing. */
function policyOf({ styleNonce }: PagePolicy): string {
  const styles = styleNonce === undefined ? "'self'" : `'self' 'nonce-${styleNonce}'`;
  return `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** Sends a page under the strict policy. */
export function sendPage(reply: FastifyReply, html: string, policy: PagePolicy = {}): FastifyReply {
  return reply
    .header("content-security-policy", policyOf(policy))
    .header("x-content-type-options", "nosniff")
    .header("referrer-policy", "no-referrer")
    .header("cache-control", policy.styleNonce === undefined ? "no-cache" : "no-store")
    .type("text/html; charset=utf-8")
    .send(html);
}
