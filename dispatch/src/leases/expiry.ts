import { countFailure, endLease, note } from "./bookkeeping.ts";
import type { Effect } from "./commands.ts";
import { afterVerified } from "./contributor.ts";
import { bookFailure, bookUnverified, bookVerified } from "./cooldown.ts";
import type { DeciderDeps, Of } from "./decider-deps.ts";
import { hasExpired } from "./lease.ts";

// What changes leases without a message from a relay: expiry, and the code host's verdict on a pull request.

const EXPIRED = "task lease expired (no progress within lease TTL)";

/**
 * Ends every expired lease. With a live connection the expiry counts as a failure; without one it counts as a lost
 * connection.
 */
export function sweep(deps: DeciderDeps, now: number): Effect[] {
  const { ledger, times } = deps;
  const effects: Effect[] = [];
  const gone = [...ledger.liveLeases()].filter((lease) => hasExpired(lease, now));
  for (const lease of gone) {
    endLease(deps, lease, { outcome: "expired", reason: EXPIRED }, now);
    if (lease.connection === undefined) {
      note(deps, lease.contributorId, { action: "released: connection lost", task: lease }, now);
      continue;
    }
    ledger.changeItem(lease.key, (item) => bookFailure(item, false, times, now));
    countFailure(deps, lease, now);
    note(deps, lease.contributorId, { action: "lease expired: auto-released", task: lease }, now);
    effects.push({ kind: "revoke", connection: lease.connection, taskId: lease.taskId, reason: EXPIRED });
  }
  return effects;
}

/** Records the code host's verdict on a pull request. A pull request counts once, even if several tasks name it. */
export function verified(deps: DeciderDeps, command: Of<"verified">, now: number): Effect[] {
  const { ledger, times, policy } = deps;
  const { taskId, gen, contributorId, key, prUrl, pull, completedAt, because } = command;
  const verified = command.verdict === "verified";
  ledger.judgePullRequest({ taskId, gen, state: command.verdict, because });
  ledger.changeItem(key, (item) =>
    verified ? bookVerified(item, times, completedAt) : bookUnverified(item, times, completedAt),
  );
  const contributor = ledger.contributor(contributorId);
  if (contributor === undefined || !verified || ledger.isCounted(pull)) return [];
  ledger.countPullRequest(pull, { gen, contributorId, completedAt });
  const after = afterVerified(contributor, policy().promotion);
  ledger.putContributor(after);
  note(deps, contributorId, { action: "pull request verified", url: prUrl }, now);
  if (after.tier === contributor.tier) return [];
  note(deps, contributorId, { action: "promoted", detail: after.tier }, now);
  ledger.audit({
    at: now,
    actor: "hub",
    action: "promoted",
    subject: after.login,
    before: contributor.tier,
    after: after.tier,
  });
  return [{ kind: "standing", contributorId, tier: after.tier }];
}
