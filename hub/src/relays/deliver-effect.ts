import type { Effect, Queue } from "@nest/dispatch";
import { type Clock, plainLine, type Random } from "@nest/kit";
import { closeCodes, type OwnLimitsLeft, permissionsOf } from "@nest/protocol";
import { promptFor } from "./prompt.ts";
import type { Session } from "./session.ts";
import type { TaskCredentials } from "./task-credentials.ts";

/** An effect that concerns one socket. */
export type SocketEffect = Extract<Effect, { connection: string }>;

export interface DeliverDeps {
  readonly queue: Queue;
  readonly credentials: TaskCredentials;
  readonly clock: Clock;
  readonly random: Random;
  readonly roleOf: (contributorId: string, requested: string | undefined) => string | undefined;
  /** How a contributor stands against the limits of their tier; undefined without limits. */
  readonly limitsOf: (contributorId: string) => OwnLimitsLeft | undefined;
}

const MOST_LABELS = 50;
const LONGEST_LINE = 512;

/** Tells a relay what was decided about it; the decision is on disk. */
export function deliverEffect(session: Session, effect: SocketEffect, deps: DeliverDeps): void {
  const { queue, credentials, clock } = deps;
  // biome-ignore lint/nursery/useExhaustiveSwitchCases: the rule does not see that the type takes some kinds only
  switch (effect.kind) {
    case "assign":
      session.offered = { taskId: effect.lease.taskId, at: clock.now(), isCrossed: false };
      return assign(session, effect, deps);
    case "unavailable": {
      session.idleReason = effect.reason;
      const retry = effect.retryAfterMs === undefined ? {} : { retry_after_s: Math.ceil(effect.retryAfterMs / 1000) };
      const withheld = effect.reason === "no_matching_work" ? { withheld: queue.withheldCounts() } : {};
      const limits =
        session.relayIdentity === undefined ? undefined : deps.limitsOf(session.relayIdentity.contributorId);
      const left = limits === undefined ? {} : { limits };
      return session.send({ type: "task_unavailable", reason: effect.reason, ...retry, ...withheld, ...left });
    }
    case "revoke":
      release(session, effect.taskId, credentials);
      if (session.offered?.taskId === effect.taskId) session.offered = undefined;
      return session.send({ type: "task_revoke", task_id: effect.taskId, reason: effect.reason });
    case "ack":
      return session.send({ type: "task_ack", task_id: effect.taskId, task_gen: effect.gen });
    case "credential_due":
      return credentials.hand(effect.lease, session);
    case "resend_required":
      // It comes back, goes on with what it holds, and sends what was not acknowledged.
      return session.close(closeCodes.restarting, "what was said could not be written; say it again");
    case "released":
      return release(session, effect.taskId, credentials);
    case "failure": {
      const { taskId, repo, number } = effect.lease;
      const { failureKind: kind, permanent } = effect;
      const reason = plainLine(effect.reason).slice(0, LONGEST_LINE);
      session.lastFailure = { taskId, repo, number, kind, reason, permanent, at: clock.now() };
      return;
    }
  }
}

/** A task is over for a socket, and with it what was said of its credential. */
function release(session: Session, taskId: string, credentials: TaskCredentials): void {
  credentials.release(taskId);
  if (session.credentialFailure?.taskId === taskId) session.credentialFailure = undefined;
}

function assign(
  session: Session,
  { lease }: Extract<SocketEffect, { kind: "assign" }>,
  { queue, credentials, random, roleOf }: DeliverDeps,
): void {
  const { taskId: task_id, gen: task_gen, repo, number, url } = lease;
  const issue = queue.entry(lease.key)?.issue;
  const title = plainLine(lease.title).slice(0, LONGEST_LINE);
  const labels = (issue?.labels ?? []).slice(0, MOST_LABELS).map(plainLine);
  const role = roleOf(lease.contributorId, session.declared.role);
  const permissions = credentials.available ? permissionsOf(session.tier) : undefined;
  const asked = { repo, number, title, url, body: issue?.body ?? "", labels, role, permissions };
  const prompt = promptFor(asked, random.hex(8));
  session.idleReason = undefined;
  session.note = undefined;
  session.send({
    type: "task_assign",
    task_id,
    task_gen,
    kind: "issue",
    repo,
    number,
    title,
    url,
    labels,
    prompt,
    ...(role === undefined ? {} : { role }),
  });
}
