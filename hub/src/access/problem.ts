import { NestError } from "@nest/kit";
import type { FastifyReply } from "fastify";

/** HTTP status by error code: the one table (contract §3). A code that is not here is a 500 and a bug. */
const statusOf: Readonly<Record<string, number>> = {
  bad_request: 400,
  invalid_pattern: 400,
  invalid_webhook: 401,
  unauthenticated: 401,
  forbidden: 403,
  foreign_origin: 403,
  access_revoked: 403,
  login_not_proven: 401,
  spoke_unauthorized: 401,
  sign_in_failed: 400,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  configuration_changed: 412,
  misdirected_request: 421,
  body_too_large: 413,
  unsupported_media_type: 415,
  too_many_requests: 429,
  registry_full: 503,
  storage_unavailable: 503,
  hub_stopping: 503,
  codehost_unreachable: 503,
  codehost_rate_limited: 503,
  codehost_refused: 503,
  codehost_bad_answer: 503,
};

/** Answers a request with an error body; what was not foreseen says nothing about itself. */
export function sendProblem(reply: FastifyReply, thrown: unknown): FastifyReply {
  const status = thrown instanceof NestError ? statusOf[thrown.code] : undefined;
  if (!(thrown instanceof NestError) || status === undefined) {
    reply.log.error({ err: thrown }, "request failed");
    return reply.code(500).send({ error: "internal error", code: "internal", hint: "the hub's log has the reason" });
  }
  // The one answer that is no JSON: what spokes of every age look for (spec: Errors).
  if (thrown.code === "spoke_unauthorized") return reply.code(status).type("text/plain").send(thrown.message);
  if (status === 503 || status === 429) reply.header("retry-after", secondsIn(thrown.hint));
  return reply
    .code(status)
    .send({ error: thrown.message, code: thrown.code, ...(thrown.hint === undefined ? {} : { hint: thrown.hint }) });
}

/** A hint that names the seconds to wait is taken at its word. */
function secondsIn(hint: string | undefined): string {
  return /\b(\d{1,6}) s\b/.exec(hint ?? "")?.[1] ?? "5";
}
