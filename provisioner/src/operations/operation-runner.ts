import { NestError, sentenceOf } from "@nest/kit";
import type { HostedNestRecord } from "@nest/protocol";
import { ClusterLine } from "../work/cluster-line.ts";
import { newSteps, reasonOf, runSteps } from "../work/run-steps.ts";
import type { Failure, StepContext, WorkCluster } from "../work/step.ts";
import type { Operation, OperationKind, Tools } from "./tools.ts";

interface Running {
  readonly stop: AbortController;
  readonly ends: Promise<void>;
}

/** What begins: its kind, who wanted it, and what it needs to know. */
export interface NewOperation {
  readonly kind: OperationKind;
  readonly by: string;
  readonly image?: string | undefined;
  readonly to_cluster?: string | undefined;
  readonly from_cluster?: string | undefined;
}

/**
 * Carries out what is under way on nests: one operation a nest, a few at once on each cluster. What is under way is in the record,
 * so a hub that was killed goes on with {@link resumeAll}.
 */
export class OperationRunner {
  readonly #tools: Tools;
  readonly #operations: Readonly<Record<OperationKind, Operation>>;
  readonly #line: ClusterLine;
  readonly #running = new Map<string, Running>();
  #isClosed = false;

  constructor(tools: Tools, operations: Readonly<Record<OperationKind, Operation>>, mostAtOnce: number) {
    this.#tools = tools;
    this.#operations = operations;
    this.#line = new ClusterLine(mostAtOnce);
  }

  /** The place in the cluster's line, from 1; undefined for a nest that does not wait. */
  position(id: string): number | undefined {
    return this.#line.position(id);
  }

  /** The record of a nest with an operation that begins. */
  begun(record: HostedNestRecord, operation: NewOperation): HostedNestRecord {
    const at = new Date(this.#tools.clock.now()).toISOString();
    const names = this.#operations[operation.kind].steps(record).map(({ name }) => name);
    const { replica } = this.#tools;
    const worker = replica === undefined ? {} : { replica: replica.id };
    return { ...record, operation: { ...operation, at, ...worker }, steps: newSteps(names, at) };
  }

  /**
   * Begins an operation: `prepare` changes the record for it. Answers when the record has it; the rest goes on by itself.
   *
   * @throws NestError `nest_busy` while another one is under way.
   */
  async start(
    id: string,
    operation: NewOperation,
    prepare: (record: HostedNestRecord) => HostedNestRecord = (record) => record,
  ): Promise<HostedNestRecord> {
    const record = await this.#tools.records.change(id, (before) => {
      if (before.operation !== undefined) throw busy(before.operation.kind);
      return this.begun(prepare(before), operation);
    });
    this.launch(record);
    return record;
  }

  /** Ends what is under way, and begins another operation in its place. */
  async replace(
    id: string,
    operation: NewOperation,
    prepare: (record: HostedNestRecord) => HostedNestRecord,
  ): Promise<HostedNestRecord> {
    await this.#stop(id);
    const record = await this.#tools.records.change(id, (before) => this.begun(prepare(before), operation));
    this.launch(record);
    return record;
  }

  /** Takes up what records say is under way and no other live replica works on, in the order in which it began. */
  async resumeAll(): Promise<void> {
    const begun = (await this.#tools.records.list()).filter(
      ({ operation }) => operation !== undefined && !this.#isElsewhere(operation),
    );
    begun.sort((one, other) => ((one.operation?.at ?? "") < (other.operation?.at ?? "") ? -1 : 1));
    for (const record of begun) this.launch(record);
  }

  /** Goes on with what the record says is under way. */
  launch(record: HostedNestRecord): void {
    const { id } = record;
    if (this.#isClosed || this.#running.has(id) || record.operation === undefined) return;
    const stop = new AbortController();
    const ends = this.#perform(record, record.operation, stop.signal)
      .catch((thrown: unknown) => {
        if (!stop.signal.aborted) this.#tools.log.error({ nest: id, err: thrown }, "the work on a nest broke off");
      })
      .finally(() => this.#running.delete(id));
    this.#running.set(id, { stop, ends });
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ ends }) => ends));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running.keys()].map((id) => this.#stop(id)));
  }

  #isElsewhere(operation: NonNullable<HostedNestRecord["operation"]>): boolean {
    const { replica } = this.#tools;
    const { replica: worker } = operation;
    return replica !== undefined && typeof worker === "string" && worker !== replica.id && replica.isLive(worker);
  }

  async #stop(id: string): Promise<void> {
    const running = this.#running.get(id);
    running?.stop.abort(new NestError("nest_work_stopped", "the work on this nest was stopped"));
    await running?.ends;
  }

  async #perform(record: HostedNestRecord, { kind, by }: NewOperation, signal: AbortSignal): Promise<void> {
    const { records, log } = this.#tools;
    const { id } = record;
    const operation = this.#operations[kind];
    const clusterId = homeOf(record);
    const leave = await this.#line.enter(clusterId, id, signal);
    try {
      const outcome = await this.#attempt(record, operation, clusterId, signal);
      if (outcome === "pull_only") return;
      if (outcome !== undefined) {
        log.error({ nest: id, operation: kind, step: outcome.step, because: outcome.reason }, `${kind} failed`);
        await records.change(id, (before) => operation.failed(before, outcome));
      } else if (operation.done(await records.get(id)) === undefined) await records.bury(id, by);
      else await records.change(id, (before) => operation.done(before) ?? before);
      if (outcome === undefined) log.info({ nest: id, operation: kind }, "done");
    } finally {
      leave();
    }
  }

  /** Undefined when all steps are done. */
  async #attempt(
    record: HostedNestRecord,
    operation: Operation,
    clusterId: string,
    signal: AbortSignal,
  ): Promise<Failure | "pull_only" | undefined> {
    let context: StepContext;
    try {
      context = this.#context(record.id, await this.#tools.clusters.get(clusterId), signal);
    } catch (thrown) {
      if (thrown instanceof NestError && thrown.code === "cluster_pull_only") return "pull_only";
      const cause = thrown instanceof NestError ? thrown : new NestError("cluster_failed", sentenceOf(thrown));
      return { step: "cluster", reason: reasonOf(cause), cause };
    }
    const failure = await runSteps(operation.steps(record), context, this.#tools.random);
    if (failure === undefined || operation.undo === undefined) return failure;
    try {
      await operation.undo(context, failure);
      return failure;
    } catch (thrown) {
      signal.throwIfAborted();
      return { ...failure, reason: `${failure.reason}; putting it back failed too: ${reasonOf(thrown)}` };
    }
  }

  #context(id: string, home: WorkCluster, signal: AbortSignal): StepContext {
    const { records, clock, log } = this.#tools;
    return {
      id,
      home,
      signal,
      clock,
      log,
      record: () => records.get(id),
      change: (change) => {
        signal.throwIfAborted();
        return records.change(id, change);
      },
      note: async (text) => {
        const { steps } = await records.get(id);
        if (steps.find(({ state }) => state === "running")?.note === text || signal.aborted) return;
        await records.change(id, (record) => ({
          ...record,
          steps: record.steps.map((step) => (step.state === "running" ? { ...step, note: text.slice(0, 500) } : step)),
        }));
      },
    };
  }
}

/** The cluster on which the work is: the old one while a nest moves, until everything is proven. */
export function homeOf({ operation, cluster_id: clusterId }: HostedNestRecord): string {
  return operation?.kind === "migrate" && typeof operation.from_cluster === "string"
    ? operation.from_cluster
    : clusterId;
}

function busy(kind: string): NestError {
  return new NestError("nest_busy", `something is under way already: ${kind}`, { hint: "wait until it is done" });
}
