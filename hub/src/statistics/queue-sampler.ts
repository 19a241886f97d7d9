import type { Queue, Reader } from "@nest/dispatch";
import { type CancelTimer, type Clock, type Log, sentenceOf } from "@nest/kit";
import { hourOf } from "./counting.ts";

const EVERY_MS = 60_000;
const REPOSITORIES_A_STATEMENT = 200;

export interface QueueSamplerDeps {
  readonly database: Reader;
  readonly queue: Pick<Queue, "countsByRepository" | "wake" | "isReady">;
  /** True at one replica, which samples for all of them. */
  readonly isMine: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Writes down every minute how long the queue is, in all and by repository. A minute is counted once, whoever counts it. */
export class QueueSampler {
  readonly #deps: QueueSamplerDeps;
  #stop: CancelTimer = () => {};

  constructor(deps: QueueSamplerDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#stop = this.#deps.clock.every(EVERY_MS, () => void this.sample());
  }

  stop(): void {
    this.#stop();
  }

  async sample(): Promise<void> {
    const { database, queue, isMine, clock, log } = this.#deps;
    // Before the repositories were read, the queue is unknown, not empty.
    if (!isMine() || !queue.isReady) return;
    const now = clock.now();
    queue.wake(now);
    const rows = [...queue.countsByRepository()];
    const all = { repo: "", ready: 0, withheld: 0 };
    for (const { ready, withheld } of rows) {
      all.ready += ready;
      all.withheld += withheld;
    }
    rows.unshift(all);
    const minute = Math.floor(now / EVERY_MS);
    try {
      for (let at = 0; at < rows.length; at += REPOSITORIES_A_STATEMENT) {
        const slice = rows.slice(at, at + REPOSITORIES_A_STATEMENT);
        const values = slice.flatMap(({ repo, ready, withheld }) => [
          repo,
          hourOf(now),
          1,
          ready,
          ready,
          withheld,
          withheld,
          minute,
        ]);
        await database.all(sampleOf(slice.length), ...values);
      }
    } catch (thrown) {
      log.warn({ because: sentenceOf(thrown) }, "the length of the queue could not be written down");
    }
  }
}

const columns = ["repo", "at", "samples", "ready", "ready_most", "withheld", "withheld_most", "sampled_at"];

function sampleOf(rows: number): string {
  const row = (nth: number) => `(${columns.map((_, at) => `?${nth * columns.length + at + 1}`).join(", ")})`;
  const added = ["samples", "ready", "withheld"].map(
    (name) => `${name} = queue_counts_hourly.${name} + excluded.${name}`,
  );
  const most = ["ready_most", "withheld_most"].map(
    (name) =>
      `${name} = case when excluded.${name} > queue_counts_hourly.${name} then excluded.${name} else queue_counts_hourly.${name} end`,
  );
  return `insert into queue_counts_hourly (${columns.join(", ")})
    values ${Array.from({ length: rows }, (_, nth) => row(nth)).join(", ")}
    on conflict (repo, at) do update set ${[...added, ...most].join(", ")}, sampled_at = excluded.sampled_at
    where queue_counts_hourly.sampled_at < excluded.sampled_at`;
}
