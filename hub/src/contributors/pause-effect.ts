import type { Lease, Ledger, PauseScope, Queue } from "@nest/dispatch";
import type { contribute, pauses } from "@nest/protocol";

export interface PauseEffectDeps {
  readonly ledger: Ledger;
  readonly queue: Queue;
  /** Every connected relay, on every replica. */
  readonly relays: () => Promise<readonly contribute.FleetRelay[]>;
}

/** What a pause would touch if it began now: relays that would get no work, tasks that go on, issues that nobody would be offered. */
export async function pauseEffect(scope: PauseScope, deps: PauseEffectDeps): Promise<pauses.PauseEffect> {
  const { ledger, queue } = deps;
  const relays = scope.kind === "repository" ? [] : (await deps.relays()).filter((relay) => isTouched(relay, scope));
  const tasks = [...ledger.liveLeases()].filter((lease) => isUnder(lease, scope));
  const issues =
    scope.kind === "everything" ? queue.actionable : scope.kind === "repository" ? queue.actionableIn(scope.repo) : 0;
  return { relays: relays.length, tasks: tasks.length, issues };
}

function isTouched({ contributor_id: id, session }: contribute.FleetRelay, scope: PauseScope): boolean {
  if (scope.kind === "session") return session !== undefined && `${id}#${session}` === scope.identity;
  return scope.kind === "everything" || (scope.kind === "contributor" && id === scope.contributorId);
}

function isUnder({ contributorId, identity, repo }: Lease, scope: PauseScope): boolean {
  switch (scope.kind) {
    case "everything":
      return true;
    case "contributor":
      return contributorId === scope.contributorId;
    case "session":
      return identity === scope.identity;
    case "repository":
      return repo.toLowerCase() === scope.repo.toLowerCase();
  }
}
