import {
  audit,
  disconnect,
  endFailurePause,
  reissue,
  requeue,
  revoke,
  setting,
  trust,
  unrevoke,
} from "./admin-commands.ts";
import { note } from "./bookkeeping.ts";
import type { Command, Effect } from "./commands.ts";
import { type DeciderDeps, refreshQueue } from "./decider-deps.ts";
import { sweep, verified } from "./expiry.ts";
import { ready } from "./handing-out.ts";
import { lift } from "./lifting.ts";
import { proven, register } from "./registrations.ts";
import { accepted, completed, declined, dropped, failed, gone, progress } from "./relay-reports.ts";

export type { Candidate, Candidates, DeciderDeps, DeciderPolicy } from "./decider-deps.ts";

/**
 * Decides commands one after the other on the ledger: the spec's table of lease transitions. It uses no clock, socket or
 * store. The caller carries out its effects only once the ledger's changes are durable.
 */
export class LeaseDecider {
  readonly #deps: DeciderDeps;

  constructor(deps: DeciderDeps) {
    this.#deps = deps;
  }

  /** Decides one command at time `now` (ms) and returns its effects. */
  handle(command: Command, now: number): Effect[] {
    const effects = this.#decide(command, now);
    this.refresh(now);
    return effects;
  }

  /** Passes the issues that the ledger touched to the queue, which checks them again. */
  refresh(now: number): void {
    refreshQueue(this.#deps, now);
  }

  #decide(command: Command, now: number): Effect[] {
    const deps = this.#deps;
    switch (command.kind) {
      case "ready":
        return ready(deps, command, now);
      case "accepted":
        return accepted(deps, command, now);
      case "progress":
        return progress(deps, command, now);
      case "completed":
        return completed(deps, command, now);
      case "failed":
        return failed(deps, command, now);
      case "declined":
        return declined(deps, command, now);
      case "presence":
        note(deps, command.contributorId, { action: command.action, detail: command.detail }, now);
        return [];
      case "dropped":
        return dropped(deps, command, now);
      case "replica_lost":
        return gone(deps, command, now);
      case "sweep":
        return sweep(deps, now);
      case "verified":
        return verified(deps, command, now);
      case "register":
        return register(deps, command, now);
      case "proven":
        return proven(deps, command, now);
      case "reissue":
        return reissue(deps, command, now);
      case "trust":
        return trust(deps, command, now);
      case "revoke":
        return revoke(deps, command, now);
      case "unrevoke":
        return unrevoke(deps, command, now);
      case "end_failure_pause":
        return endFailurePause(deps, command, now);
      case "lift":
        return lift(deps, command, now);
      case "requeue":
        return requeue(deps, command, now);
      case "disconnect":
        return disconnect(deps, command, now);
      case "setting":
        return setting(deps, command, now);
      case "audit":
        return audit(deps, command, now);
    }
  }
}
