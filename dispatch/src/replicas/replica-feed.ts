import { type Clock, type Log, sentenceOf, TimeSlicer } from "@nest/kit";
import type { ClaimLedger } from "../queue/claim-ledger.ts";
import type { RepositoryState } from "../queue/monitor.ts";
import type { Queue } from "../queue/queue.ts";
import type { SharedScanStore } from "../queue/scan-store.ts";

export interface ReplicaFeedDeps {
  readonly scans: SharedScanStore;
  readonly queue: Queue;
  readonly claims: ClaimLedger;
  readonly clock: Clock;
  readonly log: Log;
}

/** Fills this replica's queue with what the leader has read from the code host. */
export class ReplicaFeed {
  readonly #deps: ReplicaFeedDeps;
  readonly #states = new Map<string, RepositoryState>();
  #following: Promise<void> = Promise.resolve();

  constructor(deps: ReplicaFeedDeps) {
    this.#deps = deps;
  }

  repositories(): RepositoryState[] {
    return [...this.#states.values()];
  }

  /** Reads the shared scan of a repository into the queue, after any read that is already running. */
  follow(repo: string): Promise<void> {
    this.#following = this.#following.then(() => this.#take(repo)).catch((thrown) => this.#logFailure(thrown));
    return this.#following;
  }

  /** Reads the shared scans of all repositories into the queue. */
  followAll(): Promise<void> {
    this.#following = this.#following
      .then(async () => {
        const shared = await this.#deps.scans.repositories();
        for (const repo of [...shared, ...[...this.#states.keys()].filter((known) => !shared.includes(known))])
          await this.#take(repo);
      })
      .catch((thrown) => this.#logFailure(thrown));
    return this.#following;
  }

  async #take(repo: string): Promise<void> {
    const { scans, queue, claims, clock } = this.#deps;
    const scan = await scans.read(repo);
    claims.replace(repo, scan?.claims ?? new Map());
    queue.setClaims(claims.all(clock.now()), clock.now());
    if (scan === undefined) {
      this.#states.delete(repo);
      queue.dropRepo(repo);
      return;
    }
    const { state, error, issues } = scan;
    if (state === "ready") {
      await queue.readIssues(repo, issues, new TimeSlicer(), () => clock.now());
      queue.open();
    }
    this.#states.set(repo, { repo, state, issues: issues.length, error });
  }

  #logFailure(thrown: unknown): void {
    this.#deps.log.warn({ because: sentenceOf(thrown) }, "could not read another replica's scan yet");
  }
}
