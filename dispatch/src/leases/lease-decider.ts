import { disconnect, reissue, requeue, revoke, setting, trust } from "./admin-commands.ts";
import { note } from "./bookkeeping.ts";
import type { Command, Effect } from "./commands.ts";
import { type DeskParts, refreshQueue } from "./decider-deps.ts";
import { sweep, verified } from "./expiry.ts";
import { ready } from "./handing-out.ts";
import { lift } from "./lifting.ts";
import { proven, register } from "./registrations.ts";
import { accepted, completed, declined, dropped, failed, gone, progress } from "./relay-reports.ts";

export type { Candidate, Candidates, DeskParts, DeskPolicy } from "./decider-deps.ts";

/**
 * Decides commands, one after the other, over the ledger: the spec's table of lease transitions. No clock, socket or store in
 * it; what it answers is to be carried out only once the ledger's changes are durable.
 */
export class Desk {
  readonly #parts: DeskParts;

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  /** Carries out one command at time `now` (ms) and says what follows from it. */
  handle(command: Command, now: number): Effect[] {
    const effects = this.#decide(command, now);
    this.refresh(now);
    return effects;
  }

  /** Tells the queue which issues to look at again. */
  refresh(now: number): void {
    refreshQueue(this.#parts, now);
  }

  #decide(command: Command, now: number): Effect[] {
    const parts = this.#parts;
    switch (command.kind) {
      case "ready":
        return ready(parts, command, now);
      case "accepted":
        return accepted(parts, command, now);
      case "progress":
        return progress(parts, command, now);
      case "completed":
        return completed(parts, command, now);
      case "failed":
        return failed(parts, command, now);
      case "declined":
        return declined(parts, command, now);
      case "presence":
        note(parts, command.contributorId, command.action, undefined, now, command.detail);
        return [];
      case "dropped":
        return dropped(parts, command, now);
      case "gone":
        return gone(parts, command, now);
      case "sweep":
        return sweep(parts, now);
      case "verified":
        return verified(parts, command, now);
      case "register":
        return register(parts, command, now);
      case "proven":
        return proven(parts, command, now);
      case "reissue":
        return reissue(parts, command, now);
      case "trust":
        return trust(parts, command, now);
      case "revoke":
        return revoke(parts, command, now);
      case "lift":
        return lift(parts, command, now);
      case "requeue":
        return requeue(parts, command, now);
      case "disconnect":
        return disconnect(parts, command, now);
      case "setting":
        return setting(parts, command, now);
    }
  }
}
