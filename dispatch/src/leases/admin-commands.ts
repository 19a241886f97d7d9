import { isDeepStrictEqual } from "node:util";
import { endLease, note } from "./bookkeeping.ts";
import type { Effect } from "./commands.ts";
import { afterTrust } from "./contributor.ts";
import { bookUncounted } from "./cooldown.ts";
import type { DeciderDeps, Of } from "./decider-deps.ts";
import { writeMessage } from "./messages.ts";

// Commands of administrators: tokens, trust, revocation, requeue, settings.

const ACCESS_REVOKED = "contribution access revoked";

export function reissue(deps: DeciderDeps, command: Of<"reissue">, now: number): Effect[] {
  const { ledger } = deps;
  const contributor = ledger.contributor(command.contributorId);
  if (contributor === undefined) return [{ kind: "refused", code: "not_found", because: "no such contributor" }];
  if (contributor.tier === "revoked") return [{ kind: "refused", code: "revoked", because: "access was revoked" }];
  ledger.putContributor({ ...contributor, tokenDigest: command.tokenDigest });
  ledger.audit({
    at: now,
    actor: contributor.login,
    action: "token reissued",
    subject: contributor.login,
    before: "[secret]",
    after: "[secret]",
  });
  return [
    { kind: "close", contributorId: contributor.id, reason: "a new registration token was issued" },
    { kind: "done", released: [] },
  ];
}

export function trust(deps: DeciderDeps, command: Of<"trust">, now: number): Effect[] {
  const { ledger } = deps;
  const before = ledger.contributor(command.contributorId);
  if (before === undefined) return [{ kind: "refused", code: "not_found", because: "no such contributor" }];
  if (before.tier === "revoked" && command.tier !== "revoked") {
    return [{ kind: "refused", code: "revoked", because: "access was revoked; give it again first" }];
  }
  if (command.tier === "revoked") return revoke(deps, { ...command, kind: "revoke" }, now);
  const after = afterTrust(before, command.tier);
  ledger.putContributor(after);
  ledger.audit({
    at: now,
    actor: command.actor,
    action: "trust",
    subject: before.login,
    before: before.tier,
    after: after.tier,
  });
  if (after.tier !== before.tier) note(deps, before.id, { action: "trust changed", detail: after.tier }, now);
  return [
    { kind: "standing", contributorId: before.id, tier: after.tier },
    { kind: "done", released: [] },
  ];
}

/** Revokes a contributor's access. Their tasks end and their connections close at once. */
export function revoke(deps: DeciderDeps, command: Of<"revoke">, now: number): Effect[] {
  const { ledger, times } = deps;
  const before = ledger.contributor(command.contributorId);
  if (before === undefined) return [{ kind: "refused", code: "not_found", because: "no such contributor" }];
  const effects: Effect[] = [];
  const released: string[] = [];
  for (const lease of ledger.leasesOfContributor(before.id)) {
    endLease(deps, lease, { outcome: "revoked", reason: ACCESS_REVOKED }, now);
    ledger.changeItem(lease.key, (item) => bookUncounted(item, "requeued", times, now));
    released.push(lease.taskId);
    if (lease.connection !== undefined)
      effects.push({ kind: "revoke", connection: lease.connection, taskId: lease.taskId, reason: ACCESS_REVOKED });
  }
  if (before.tier !== "revoked") {
    ledger.putContributor({ ...before, tier: "revoked" });
    ledger.audit({
      at: now,
      actor: command.actor,
      action: "revoked",
      subject: before.login,
      before: before.tier,
      after: "revoked",
    });
    note(deps, before.id, { action: "access revoked" }, now);
  }
  effects.push({ kind: "close", contributorId: before.id, reason: "access revoked" }, { kind: "done", released });
  return effects;
}

/** Gives somebody who was revoked access again, as a newcomer, and tells them why: what they had done no longer promotes them. */
export function unrevoke(deps: DeciderDeps, command: Of<"unrevoke">, now: number): Effect[] {
  const { ledger } = deps;
  const { contributorId, reason, actor } = command;
  const before = ledger.contributor(contributorId);
  if (before === undefined) return [{ kind: "refused", code: "not_found", because: "no such contributor" }];
  if (before.tier !== "revoked")
    return [{ kind: "refused", code: "moved", because: "this contributor has access already" }];
  const after = { tier: "newcomer", promotionBase: before.verified, streak: 0, pausedUntil: 0 } as const;
  ledger.putContributor({ ...before, ...after });
  ledger.audit({ at: now, actor, action: "access restored", subject: before.login, before: "revoked", after: reason });
  note(deps, before.id, { action: "access restored" }, now);
  writeMessage(ledger, before, { by: actor, text: `your access was restored: ${reason}` }, now);
  return [{ kind: "done", released: [] }];
}

/** Ends the pause of a contributor whose tasks failed quickly, one after the other, and tells them; the failures are counted anew. */
export function endFailurePause(deps: DeciderDeps, command: Of<"end_failure_pause">, now: number): Effect[] {
  const { ledger } = deps;
  const before = ledger.contributor(command.contributorId);
  if (before === undefined) return [{ kind: "refused", code: "not_found", because: "no such contributor" }];
  if (before.pausedUntil <= now) return [{ kind: "refused", code: "moved", because: "no pause after failures holds" }];
  ledger.putContributor({ ...before, streak: 0, pausedUntil: 0 });
  const until = new Date(before.pausedUntil).toISOString();
  const { actor } = command;
  ledger.audit({ at: now, actor, action: "failure pause ended", subject: before.login, before: until, after: null });
  writeMessage(ledger, before, { by: actor, text: "the pause after your failures was ended" }, now);
  return [{ kind: "done", released: [] }];
}

/**
 * An operator ends a contributor's leases. Each issue is held for ten minutes, nothing counts as a failure, and the task is
 * not reassigned automatically.
 */
export function requeue(deps: DeciderDeps, command: Of<"requeue">, now: number): Effect[] {
  const { ledger, times } = deps;
  const contributor = ledger.contributor(command.contributorId);
  if (contributor === undefined) return [{ kind: "refused", code: "not_found", because: "no such contributor" }];
  const identity = command.session === undefined ? undefined : `${contributor.id}#${command.session}`;
  const chosen = ledger
    .leasesOfContributor(contributor.id)
    .filter((lease) => command.taskId === undefined || lease.taskId === command.taskId)
    .filter((lease) => identity === undefined || lease.identity === identity);
  if (chosen.length === 0)
    return [{ kind: "refused", code: "not_found", because: "this contributor holds no such task" }];
  const reason = command.reason ?? "taken back by an operator";
  const effects: Effect[] = [];
  for (const lease of chosen) {
    endLease(deps, lease, { outcome: "requeued", reason }, now);
    ledger.changeItem(lease.key, (item) => bookUncounted(item, "requeued", times, now));
    note(deps, contributor.id, { action: "yanked by operator", task: lease, detail: command.reason }, now);
    ledger.audit({
      at: now,
      actor: command.actor,
      action: "requeue",
      subject: `${contributor.login} ${lease.key}`,
      before: lease.taskId,
      after: reason,
    });
    if (lease.connection !== undefined)
      effects.push({ kind: "revoke", connection: lease.connection, taskId: lease.taskId, reason });
  }
  return [...effects, { kind: "done", released: chosen.map((lease) => lease.taskId) }];
}

/** An operator closes one connection. Its relay reconnects by itself and resumes its task. */
export function disconnect(deps: DeciderDeps, command: Of<"disconnect">, now: number): Effect[] {
  const { ledger } = deps;
  const contributor = ledger.contributor(command.contributorId);
  if (contributor === undefined) return [{ kind: "refused", code: "not_found", because: "no such contributor" }];
  ledger.audit({
    at: now,
    actor: command.actor,
    action: "disconnected",
    subject: `${contributor.login} ${command.connection}`,
  });
  return [
    {
      kind: "close",
      contributorId: contributor.id,
      only: command.connection,
      reason: command.actor === contributor.login ? "disconnected by its owner" : "disconnected by an operator",
    },
    { kind: "done", released: [] },
  ];
}

/**
 * Checks, changes and audits one setting in one transaction, so that two admins who act at once do not overwrite each other
 * (`change-setting.ts`).
 */
export function setting(deps: DeciderDeps, command: Of<"setting">, now: number): Effect[] {
  const { ledger } = deps;
  const { name, actor, expected, change } = command;
  if (expected !== undefined && !isDeepStrictEqual(ledger.setting(name), expected.value))
    return [{ kind: "refused", code: "moved", because: "somebody changed the setting meanwhile" }];
  if (change === undefined) return [{ kind: "done", released: [] }];
  ledger.putSetting(name, change.value);
  if (change.audit !== undefined) ledger.audit({ at: now, actor, ...change.audit });
  if (change.activity !== undefined) ledger.note(change.activity, "hub", now);
  return [{ kind: "done", released: [] }];
}

/** Writes the audit line of a change that is kept elsewhere. */
export function audit(deps: DeciderDeps, command: Of<"audit">, now: number): Effect[] {
  deps.ledger.audit({ at: now, actor: command.actor, ...command.event });
  return [{ kind: "done", released: [] }];
}
