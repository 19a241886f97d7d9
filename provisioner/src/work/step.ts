import type { ManagedCluster } from "@nest/cluster";
import type { Clock, Log, NestError } from "@nest/kit";
import type { ClusterRecord, HostedNestRecord } from "@nest/protocol";
import type { NestWatch } from "./nest-watch.ts";

/** A cluster that the hub works on. */
export interface WorkCluster {
  readonly record: ClusterRecord;
  readonly cluster: ManagedCluster;
  readonly watch: NestWatch;
}

/** What a step works with. */
export interface StepContext {
  readonly id: string;
  readonly home: WorkCluster;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  /** The record as its file has it now. */
  record(): Promise<HostedNestRecord>;
  change(change: (record: HostedNestRecord) => HostedNestRecord): Promise<HostedNestRecord>;
  /** Says in the record what is waited for; the same words twice are written once. */
  note(text: string): Promise<void>;
}

/** One step of an operation. It may run twice: what it did the first time is then done already. */
export interface Step {
  readonly name: string;
  /** Judges by itself how long it waits; otherwise an attempt that takes a minute is ended and tried again. */
  readonly isPatient?: boolean;
  run(context: StepContext): Promise<void>;
}

/** Why an operation ended: the step, and what a person reads. */
export interface Failure {
  readonly step: string;
  readonly reason: string;
  readonly cause: NestError;
}
