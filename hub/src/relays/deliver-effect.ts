import type { Effect, Queue } from "@nest/dispatch";
import { type Clock, plainLine, type Random } from "@nest/kit";
import { closeCodes, isWorthWaiting, type OwnLimitsLeft, permissionsOf } from "@nest/protocol";
import type { ConnectedRelays } from "./connected-relays.ts";
import { oneLinePrompt } from "./one-line-prompt.ts";
import { promptFor } from "./prompt.ts";
import type { RelayEvents } from "./relay-events.ts";
import type { Roster } from "./roster.ts";
import type { Session } from "./session.ts";
import type { TaskCredentials } from "./task-credentials.ts";
import type { WaitingRelays } from "./waiting-relays.ts";

export interface DeliveryDeps {
  readonly relays: ConnectedRelays;
  readonly roster: Roster;
  readonly waiting: WaitingRelays;
  readonly queue: Queue;
  readonly credentials: TaskCredentials;
  readonly events: RelayEvents;
  readonly clock: Clock;
  readonly random: Random;
  /** Called when a relay was sent the answer to a `ready`. */
  readonly onAnswered: (session: Session) => void;
  readonly roleOf: (contributorId: string, requested: string | undefined) => string | undefined;
  /** How much of the tier's limits a contributor has left; undefined without limits. */
  readonly limitsOf: (contributorId: string) => OwnLimitsLeft | undefined;
}

/** An effect on one connection. */
type SocketEffect = Extract<Effect, { connection: string }>;

const MOST_LABELS = 50;
const LONGEST_LINE = 512;

/** Carries out an effect on relays after its batch is durable. Only this function turns effects into frames. */
export function deliverEffect(effect: Effect, deps: DeliveryDeps): void {
  switch (effect.kind) {
    case "close":
      return deps.relays.close(effect.contributorId, effect.reason, effect.only);
    case "standing":
      return deps.relays.setTier(effect.contributorId, effect.tier);
    // These effects concern no connection; other listeners carry them out.
    case "verify":
    case "done":
    case "refused":
      return;
    default: {
      const session = deps.roster.get(effect.connection);
      if (session !== undefined) deliverTo(session, effect, deps);
    }
  }
}

function deliverTo(session: Session, effect: SocketEffect, deps: DeliveryDeps): void {
  const { credentials, clock } = deps;
  // biome-ignore lint/nursery/useExhaustiveSwitchCases: the rule does not see that the type takes some kinds only
  switch (effect.kind) {
    case "assign":
      assign(session, effect, deps);
      return deps.onAnswered(session);
    case "unavailable":
      unavailable(session, effect, deps);
      return deps.onAnswered(session);
    case "revoke":
      release(session, effect.taskId, credentials);
      if (session.offered?.taskId === effect.taskId) session.offered = undefined;
      return session.send({ type: "task_revoke", task_id: effect.taskId, reason: effect.reason });
    case "ack":
      if (session.manners.knows("task_ack"))
        session.send({ type: "task_ack", task_id: effect.taskId, task_gen: effect.gen });
      return;
    case "credential_due":
      return credentials.hand(effect.lease, session);
    case "resend_required":
      // The relay reconnects, resumes its task, and sends again what was not acknowledged.
      return session.close(closeCodes.restarting, "your messages could not be stored; send them again");
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

function unavailable(
  session: Session,
  { reason, retryAfterMs, note }: Extract<SocketEffect, { kind: "unavailable" }>,
  { waiting, queue, limitsOf }: DeliveryDeps,
): void {
  const { manners } = session;
  if (isWorthWaiting(reason) || manners.neverAsksAgain) waiting.add(session);
  // A relay that was refused for another reason does not count as waiting for work.
  if (reason !== "no_matching_work" && reason !== "hub_not_ready") session.readyAt = undefined;
  session.idleReason = reason;
  const retry = retryAfterMs === undefined ? {} : { retry_after_s: Math.ceil(retryAfterMs / 1000) };
  const isCounted = reason === "no_matching_work" && manners.knows("withheld_counts");
  const withheld = isCounted ? { withheld: queue.withheldCounts() } : {};
  const limits = session.relayIdentity === undefined ? undefined : limitsOf(session.relayIdentity.contributorId);
  const left = limits === undefined || !manners.knows("limits_left") ? {} : { limits };
  const message = note === undefined ? {} : { message: note };
  session.send({ type: "task_unavailable", reason, ...message, ...retry, ...withheld, ...left });
}

/** A connection lost its task: also clears what the session shows about the task's credential. */
function release(session: Session, taskId: string, credentials: TaskCredentials): void {
  credentials.release(taskId);
  if (session.credentialFailure?.taskId === taskId) session.credentialFailure = undefined;
}

function assign(
  session: Session,
  { lease }: Extract<SocketEffect, { kind: "assign" }>,
  { waiting, queue, credentials, events, clock, random, roleOf }: DeliveryDeps,
): void {
  waiting.delete(session);
  if (session.readyAt !== undefined) events.assigned(clock.now() - session.readyAt);
  session.readyAt = undefined;
  session.offered = { taskId: lease.taskId, at: clock.now(), isCrossed: false };
  const { taskId: task_id, gen: task_gen, repo, number, url } = lease;
  const issue = queue.entry(lease.key)?.issue;
  const title = plainLine(lease.title).slice(0, LONGEST_LINE);
  const labels = (issue?.labels ?? []).slice(0, MOST_LABELS).map(plainLine);
  const role = roleOf(lease.contributorId, session.declared.role);
  const permissions = credentials.available ? permissionsOf(session.tier) : undefined;
  const asked = { repo, number, title, url, body: issue?.body ?? "", labels, role, permissions };
  const prompt = session.manners.isOurs ? promptFor(asked, random.hex(8)) : oneLinePrompt(asked);
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
