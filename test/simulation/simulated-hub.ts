import {
  type Changes,
  connectionId,
  Desk,
  type DeskPolicy,
  type Effect,
  LeaseBook,
  Ledger,
  type News,
  Queue,
  type QueueIssue,
} from "@nest/dispatch";
import { type Clock, silentLog } from "@nest/kit";
import { durations } from "@nest/protocol";
import type { Storage } from "./simulated-disk.ts";

const LOG = silentLog();

export interface SimulatedHubParts {
  /** Never used by an earlier process. */
  readonly replica: string;
  readonly storage: Storage;
  readonly repos: ReadonlyMap<string, readonly QueueIssue[]>;
  readonly now: () => number;
  readonly policy: () => DeskPolicy;
  readonly carryOut: (effect: Effect) => void;
  readonly onCommitted: (changes: Changes) => void;
  readonly onNews: (news: News, lost: readonly string[]) => void;
}

/** One process of a hub, without sockets: the real desk, book, ledger and queue. */
export class SimulatedHub {
  readonly replica: string;
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly book: LeaseBook;
  #timers: { readonly due: number; readonly act: () => void }[] = [];
  #connections = 0;
  readonly #now: () => number;

  private constructor(parts: SimulatedHubParts, ledger: Ledger) {
    const { replica, storage, repos, now, policy, carryOut, onCommitted, onNews } = parts;
    this.replica = replica;
    this.#now = now;
    this.ledger = ledger;
    this.queue = new Queue({ ledger, times: durations });
    for (const [repo, issues] of repos) this.queue.setIssues(repo, issues, now());
    this.queue.open();
    const clock: Clock = {
      now,
      after: (delayMs, act) => {
        this.#timers.push({ due: now() + delayMs, act });
        return () => {};
      },
      every: () => () => {},
      sleep: () => Promise.resolve(),
    };
    const desk = new Desk({
      ledger,
      candidates: this.queue,
      policy,
      times: durations,
      newTaskId: (gen) => `t-${gen}`,
      pullRequestAt: (url, repo) => ({ key: url, isOfRepo: url.startsWith(`${repo}/pull/`), url }),
    });
    const schedule = () => {};
    const { disk } = storage;
    this.book = new LeaseBook({ ledger, desk, disk, clock, log: LOG, carryOut, onCommitted, onNews, schedule });
  }

  /** Boots on what its storage holds; a promise where the storage answers later. */
  static boot(parts: SimulatedHubParts): SimulatedHub | Promise<SimulatedHub> {
    const rows = parts.storage.load(parts.now());
    if (rows instanceof Promise)
      return rows.then((known) => new SimulatedHub(parts, new Ledger(known, parts.storage.past)));
    return new SimulatedHub(parts, new Ledger(rows, parts.storage.past));
  }

  newConnection(): string {
    this.#connections += 1;
    return connectionId(this.replica, this.#connections);
  }

  /** What was put off until now. */
  fireTimers(): void {
    const due = this.#timers.filter((timer) => timer.due <= this.#now());
    this.#timers = this.#timers.filter((timer) => timer.due > this.#now());
    for (const { act } of due) act();
  }
}
