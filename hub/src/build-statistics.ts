import type { Clock, Log } from "@nest/kit";
import type { Dispatch } from "./build-dispatch.ts";
import { NumbersReadModel } from "./statistics/numbers-read-model.ts";
import { QueueSampler } from "./statistics/queue-sampler.ts";
import { Rollup } from "./statistics/rollup.ts";

/** The parts that count over time. */
export interface Statistics {
  readonly readModel: NumbersReadModel;
  /** Begins to count; call it when the queue is being read. */
  start(): void;
  stop(): Promise<void>;
}

export function buildStatistics(
  { storage: { reader, counts, shared }, ledger, queue }: Dispatch,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Statistics {
  const isMine = () => shared?.replicas.isLeader ?? true;
  const rollup = new Rollup({ database: counts, isMine, isReadElsewhere: shared !== undefined, clock, log });
  const sampler = new QueueSampler({ database: counts, queue, isMine, clock, log });
  return {
    readModel: new NumbersReadModel({ reader, rollup, ledger, clock }),
    start() {
      rollup.start();
      sampler.start();
    },
    async stop() {
      sampler.stop();
      await rollup.stop();
    },
  };
}
