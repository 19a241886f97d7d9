import { type Admission, admit } from "./admit.ts";
import { endLease, note } from "./bookkeeping.ts";
import type { Effect } from "./commands.ts";
import { bookUncounted } from "./cooldown.ts";
import { type DeciderDeps, type Of, refreshQueue } from "./decider-deps.ts";
import { givenUpFor } from "./given-up.ts";
import type { Lease } from "./lease.ts";

// Assigns work: the `ready` command, and the search for an issue that follows it.

/** `ready`: ends the leases that {@link givenUpFor} names, then looks for work. A relay that asked always gets an answer. */
export function ready(deps: DeciderDeps, command: Of<"ready">, now: number): Effect[] {
  const { ledger, times } = deps;
  const { contributorId } = command;
  if (command.unasked === true) {
    // Without being asked, the hub assigns a connection work only while it holds no task.
    if (ledger.leasesOfContributor(contributorId).some((lease) => lease.connection === command.connection)) return [];
    return lookForWork(deps, command, now).filter((effect) => effect.kind === "assign");
  }
  const leases = ledger.leasesOfContributor(contributorId);
  const effects: Effect[] = [];
  for (const lease of givenUpFor(command, leases, mostHeld(deps, contributorId), times, now)) {
    endLease(deps, lease, { outcome: "given_back" }, now);
    ledger.changeItem(lease.key, (item) => bookUncounted(item, "given_back", times, now));
    note(deps, contributorId, { action: "released: gave the task back", task: lease }, now);
    if (lease.connection !== undefined)
      effects.push({ kind: "released", connection: lease.connection, taskId: lease.taskId });
  }
  return [...effects, ...lookForWork(deps, command, now)];
}

/** How many tasks a contributor may hold at once; 0 = unlimited. */
function mostHeld({ ledger, policy }: DeciderDeps, contributorId: string): number {
  const tier = ledger.contributor(contributorId)?.tier ?? "revoked";
  return tier === "revoked" ? 0 : policy().limits[tier].max_concurrent;
}

function lookForWork(deps: DeciderDeps, command: Of<"ready">, now: number): Effect[] {
  const { ledger, candidates, times, newTaskId } = deps;
  const { connection, contributorId, identity } = command;
  const contributor = ledger.contributor(contributorId);
  const admission: Admission =
    contributor === undefined
      ? { kind: "refused", reason: "tier_disabled" }
      : admit(contributor, identity, deps.policy(), ledger, candidates.isReady, times, now);
  if (admission.kind === "refused") {
    const { kind: _, ...refusal } = admission;
    return [{ kind: "unavailable", connection, ...refusal }];
  }
  refreshQueue(deps, now);
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
      backend: command.backend,
      model: command.model,
      relayVersion: command.relayVersion,
      tier: admission.contributor.tier,
      waitedMs: command.askedAt === undefined ? undefined : Math.max(0, now - command.askedAt),
    };
    ledger.grant(lease, admission.contributor);
    note(deps, contributorId, { action: "picked up", task: lease }, now);
    return [{ kind: "assign", connection, lease }];
  }
  return [{ kind: "unavailable", connection, reason: "no_matching_work" }];
}
