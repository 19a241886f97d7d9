import {
  type BatchListener,
  CommandBatcher,
  connectionId,
  type DeciderPolicy,
  LeaseDecider,
  Ledger,
  Queue,
  type QueueIssue,
} from "@nest/dispatch";
import { type Clock, silentLog } from "@nest/kit";
import { durations } from "@nest/protocol";
import type { Storage } from "./simulated-disk.ts";

const LOG = silentLog();

export interface SimulatedHubDeps {
  /** Never used by an earlier process. */
  readonly replica: string;
  readonly storage: Storage;
  readonly repos: ReadonlyMap<string, readonly QueueIssue[]>;
  readonly now: () => number;
  readonly policy: () => DeciderPolicy;
  readonly listener: BatchListener;
}

/** One process of a hub, without sockets: the real decider, batcher, ledger and queue. */
export class SimulatedHub {
  readonly replica: string;
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly batcher: CommandBatcher;
  #timers: { readonly due: number; readonly act: () => void }[] = [];
  #connections = 0;
  readonly #now: () => number;

  private constructor(deps: SimulatedHubDeps, ledger: Ledger) {
    const { replica, storage, repos, now, policy, listener } = deps;
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
    const decider = new LeaseDecider({
      ledger,
      candidates: this.queue,
      policy,
      times: durations,
      newTaskId: (gen) => `t-${gen}`,
      pullRequestAt: (url, repo) => ({ key: url, isOfRepo: url.startsWith(`${repo}/pull/`), url }),
    });
    const schedule = () => {};
    const { disk } = storage;
    this.batcher = new CommandBatcher({
      ledger,
      decider,
      store: disk,
      clock,
      log: LOG,
      schedule,
    });
    this.batcher.listen(listener);
  }

  /** Boots on what its storage holds; a promise where the storage answers later. */
  static boot(deps: SimulatedHubDeps): SimulatedHub | Promise<SimulatedHub> {
    const rows = deps.storage.load(deps.now());
    if (rows instanceof Promise)
      return rows.then((known) => new SimulatedHub(deps, new Ledger(known, deps.storage.past)));
    return new SimulatedHub(deps, new Ledger(rows, deps.storage.past));
  }

  newConnection(): string {
    this.#connections += 1;
    return connectionId(this.replica, this.#connections);
  }

  /** Runs what was deferred until now. */
  fireTimers(): void {
    const due = this.#timers.filter((timer) => timer.due <= this.#now());
    this.#timers = this.#timers.filter((timer) => timer.due > this.#now());
    for (const { act } of due) act();
  }
}
