import { bookUncounted } from "../queue/cooldown.ts";
import { type Admission, admit } from "./admit.ts";
import { endLease, note } from "./bookkeeping.ts";
import type { Effect } from "./commands.ts";
import { type DeskParts, type Of, refreshQueue } from "./desk-parts.ts";
import type { Lease } from "./lease.ts";

// Giving work out: `ready`, and the search for an issue that follows it.

/** `ready`: gives up what this identity still holds, then asks for work. It always gets an answer. */
export function ready(parts: DeskParts, command: Of<"ready">, now: number): Effect[] {
  const { ledger, times } = parts;
  const { connection, contributorId, identity } = command;
  if (command.unasked === true) return lookForWork(parts, command, now).filter((effect) => effect.kind === "assign");
  for (const lease of ledger.leasesOfIdentity(identity)) {
    if (lease.connection !== undefined && lease.connection !== connection) continue;
    endLease(parts, lease, { outcome: "given_back" }, now);
    ledger.changeItem(lease.key, (item) => bookUncounted(item, "given_back", times, now));
    note(parts, contributorId, "released: gave the task back", lease, now);
  }
  return lookForWork(parts, command, now);
}

function lookForWork(parts: DeskParts, command: Of<"ready">, now: number): Effect[] {
  const { ledger, candidates, times, newTaskId } = parts;
  const { connection, contributorId, identity } = command;
  // One task at a time: what this identity holds on another live socket is not given up for it, so there is nothing to give.
  if (ledger.leasesOfIdentity(identity).length > 0)
    return [{ kind: "unavailable", connection, reason: "concurrency_limit" }];
  const contributor = ledger.contributor(contributorId);
  const admission: Admission =
    contributor === undefined
      ? { kind: "refused", reason: "tier_disabled" }
      : admit(contributor, parts.policy(), ledger, candidates.isReady, times, now);
  if (admission.kind === "refused") {
    const { reason, retryAfterMs } = admission;
    return [{ kind: "unavailable", connection, reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }];
  }
  refreshQueue(parts, now);
  for (const candidate of candidates.offer(command, now)) {
    if (ledger.leaseOnItem(candidate.key) !== undefined) continue;
    const gen = ledger.nextGen();
    const lease: Lease = {
      taskId: newTaskId(gen),
      gen,
      contributorId,
      identity,
      repo: candidate.repo,
      number: candidate.number,
      key: candidate.key,
      title: candidate.title,
      url: candidate.url,
      itemUpdatedAt: candidate.updatedAt,
      connection,
      assignedAt: now,
      acceptedAt: undefined,
      expiresAt: now + times.leaseTtlMs,
    };
    ledger.grant(lease, admission.contributor);
    note(parts, contributorId, "picked up", lease, now);
    return [{ kind: "assign", connection, lease, ...(command.unasked === true ? { pushed: true } : {}) }];
  }
  return [{ kind: "unavailable", connection, reason: "no_matching_work" }];
}
