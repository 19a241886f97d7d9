import { NestError } from "@nest/kit";
import type { ErrorBody } from "@nest/protocol";
import type { FastifyReply } from "fastify";

/** The HTTP status of each error code, in one table. A code that is not here is answered with 500 and is a bug. */
const statusOf: Readonly<Record<string, number>> = {
  relay_package_missing: 404,
  bad_request: 400,
  invalid_pattern: 400,
  bead_invalid: 400,
  bead_dependency_unknown: 400,
  sign_in_failed: 400,
  unauthenticated: 401,
  invalid_webhook: 401,
  login_not_proven: 401,
  spoke_unauthorized: 401,
  forbidden: 403,
  quota_reached: 400,
  nest_spec_invalid: 400,
  cluster_unknown: 400,
  foreign_origin: 403,
  access_revoked: 403,
  not_found: 404,
  agent_not_found: 404,
  run_not_found: 404,
  issue_not_found: 404,
  bead_unknown: 404,
  notification_channel_not_found: 404,
  nest_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  bead_changed: 409,
  bead_circle: 409,
  ledger_full: 409,
  agent_busy: 409,
  agent_disabled: 409,
  agent_paused: 409,
  acmm_level_zero: 409,
  codehost_not_linked: 409,
  last_owner: 409,
  nest_configuration_changed: 409,
  configuration_read_only: 409,
  nest_cannot_restart: 409,
  alert_channel_changed: 409,
  queue_order_changed: 409,
  queue_order_full: 409,
  nest_exists: 409,
  nest_changed: 409,
  nest_busy: 409,
  nest_not_available: 409,
  nest_not_on_cluster: 409,
  nest_belongs_elsewhere: 409,
  cluster_exists: 409,
  cluster_pull_only: 409,
  nest_gone: 410,
  configuration_changed: 412,
  backup_key_missing: 412,
  backup_key_unusable: 412,
  body_too_large: 413,
  bead_too_large: 413,
  backup_too_large: 413,
  unsupported_media_type: 415,
  misdirected_request: 421,
  too_many_requests: 429,
  backup_running: 429,
  nest_record_malformed: 500,
  cluster_full: 503,
  cluster_incomplete: 503,
  cluster_unreachable: 503,
  cluster_unauthorized: 503,
  cluster_forbidden: 503,
  cluster_failed: 503,
  cluster_busy: 503,
  cluster_timeout: 503,
  kubeconfig_unusable: 503,
  registry_full: 503,
  storage_unavailable: 503,
  ledger_busy: 503,
  ledger_unreadable: 503,
  ledger_too_large: 503,
  ledger_write_failed: 503,
  hub_stopping: 503,
  tmux_missing: 503,
  tmux_failed: 503,
  codehost_unreachable: 503,
  codehost_rate_limited: 503,
  codehost_refused: 503,
  codehost_bad_answer: 503,
};

export interface Problem {
  readonly status: number;
  readonly body: ErrorBody;
  /** Seconds after which a retry may succeed; absent where waiting does not help. */
  readonly retryAfter?: string;
}

/** The answer to a thrown error. An unforeseen one reveals nothing; `what` names the program whose log has the details. */
export function problemOf(thrown: unknown, what: "hub" | "nest"): Problem {
  const status = thrown instanceof NestError ? statusOf[thrown.code] : undefined;
  if (!(thrown instanceof NestError) || status === undefined) {
    return {
      status: 500,
      body: { error: "internal error", code: "internal", hint: `the ${what}'s log has the reason` },
    };
  }
  const { message: error, code, hint } = thrown;
  return {
    status,
    body: { error, code, ...(hint === undefined ? {} : { hint }) },
    ...(status === 503 || status === 429 ? { retryAfter: secondsIn(hint) } : {}),
  };
}

export function sendProblem(reply: FastifyReply, { status, body, retryAfter }: Problem): FastifyReply {
  // The one answer that is not JSON: spokes of every release look for this text.
  if (body.code === "spoke_unauthorized") return reply.code(status).type("text/plain").send(body.error);
  if (retryAfter !== undefined) reply.header("retry-after", retryAfter);
  return reply.code(status).type("application/json; charset=utf-8").send(body);
}

/** A failure of Fastify's own in our words; anything else as it is. */
export function foreseen(thrown: unknown): unknown {
  const { code, statusCode: status } = thrown as { code?: string; statusCode?: number };
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new NestError("body_too_large", "the request body is too large", { cause: thrown });
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return new NestError("unsupported_media_type", "the request body must be JSON", {
      hint: "send Content-Type: application/json",
    });
  }
  // A file name that could lead out of the served folder counts as not found.
  if (code?.startsWith("FST_STATIC_") === true) return new NestError("not_found", "there is no such file");
  if (status === 429)
    return new NestError("too_many_requests", "too many requests", { hint: "wait a little and try again" });
  if (thrown instanceof NestError || status === undefined || status >= 500) return thrown;
  return new NestError("bad_request", "body: not valid JSON", { cause: thrown });
}

/** The seconds to wait, read from a hint that names them. */
function secondsIn(hint: string | undefined): string {
  return /\b(\d{1,6}) s\b/.exec(hint ?? "")?.[1] ?? "5";
}
