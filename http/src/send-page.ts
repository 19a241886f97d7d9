import type { FastifyReply } from "fastify";

export interface PagePolicy {
  /** A nonce, new for each answer: style elements that carry it are allowed too. */
  readonly styleNonce?: string;
  /** The page is for this moment or this visitor only: it is never cached, not even to be revalidated. */
  readonly isPassing?: boolean;
}

/** No inline script or style, nothing from elsewhere, no framing. */
function policyOf({ styleNonce }: PagePolicy): string {
  const styles = styleNonce === undefined ? "'self'" : `'self' 'nonce-${styleNonce}'`;
  return `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

/** Sends a page under the strict policy. */
export function sendPage(reply: FastifyReply, html: string, policy: PagePolicy = {}): FastifyReply {
  const isKept = policy.styleNonce === undefined && policy.isPassing !== true;
  return reply
    .header("content-security-policy", policyOf(policy))
    .header("cache-control", isKept ? "no-cache" : "no-store")
    .type("text/html; charset=utf-8")
    .send(html);
}
