import { type CancelTimer, type Clock, type Log, NestError, sentenceOf } from "@nest/kit";
import type { ClusterRecord, HostedNestRecord } from "@nest/protocol";
import { isPlaceholder } from "../operations/provision.ts";
import type { ClustersFile } from "../records/clusters-file.ts";
import type { RecordStore } from "../records/record-store.ts";

/** Looked at also when nothing happens, for records and clusters that are edited by hand. */
const SWEEP_MS = 11 * 60_000;
/** After a failure; doubled with each further one. */
const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 30 * 60_000;

export interface PlaceholdersDeps {
  readonly records: RecordStore;
  readonly clustersFile: Pick<ClustersFile, "list">;
  readonly make: (clusterId: string) => Promise<HostedNestRecord>;
  /** Takes up one that failed. */
  readonly retry: (id: string) => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Log;
}

interface Pause {
  failures: number;
  until: number;
}

/**
 * Keeps idle nests ready to be claimed: when fewer than `min` are left on a cluster, as many are made as `target` says. A claim,
 * a failure and a deletion are noticed at once. A nest that was claimed has an owner from then on, and never counts again.
 */
export class Placeholders {
  readonly #deps: PlaceholdersDeps;
  readonly #pauses = new Map<string, Pause>();
  /** Failures that were counted, by record and the time at which it failed. */
  readonly #counted = new Set<string>();
  #ends: readonly (() => void)[] = [];
  #soon: CancelTimer | undefined;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(deps: PlaceholdersDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { records, clock } = this.#deps;
    this.#ends = [records.onChange(() => this.#sweepSoon()), clock.every(SWEEP_MS, () => this.#sweepSoon())];
    this.#sweepSoon();
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end();
    this.#soon?.();
    await this.#sweeping;
  }

  /** Looks at every cluster once, and makes what is missing. */
  async sweep(): Promise<void> {
    const idle = (await this.#deps.records.list()).filter(isPlaceholder);
    for (const { record, pullOnlyBecause } of await this.#deps.clustersFile.list())
      if (record.placeholders !== undefined && pullOnlyBecause === undefined)
        await this.#fill(
          record,
          idle.filter(({ cluster_id: id }) => id === record.id),
        );
  }

  async #fill(cluster: ClusterRecord, idle: readonly HostedNestRecord[]): Promise<void> {
    const { log, clock, make, retry } = this.#deps;
    const failed = idle.filter(({ status, operation }) => status === "error" && operation === undefined);
    this.#countFailures(cluster.id, failed);
    const pause = this.#pauses.get(cluster.id);
    if (pause !== undefined && clock.now() < pause.until) return;
    if (failed.length === 0 && idle.some(({ status }) => status === "available")) this.#pauses.delete(cluster.id);
    try {
      for (const { id } of failed) await retry(id);
      for (let missing = missingOn(cluster, idle.length); missing > 0; missing -= 1) await make(cluster.id);
    } catch (thrown) {
      this.#pauseFor(cluster.id);
      const code = thrown instanceof NestError ? thrown.code : "bug";
      log.warn({ cluster: cluster.id, code, because: sentenceOf(thrown) }, "no placeholder could be made");
    }
  }

  #countFailures(clusterId: string, failed: readonly HostedNestRecord[]): void {
    for (const { id, steps } of failed) {
      const key = `${id} ${steps.find(({ state }) => state === "failed")?.at ?? ""}`;
      if (this.#counted.has(key)) continue;
      this.#counted.add(key);
      this.#pauseFor(clusterId);
    }
  }

  #pauseFor(clusterId: string): void {
    const failures = (this.#pauses.get(clusterId)?.failures ?? 0) + 1;
    const ms = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
    this.#pauses.set(clusterId, { failures, until: this.#deps.clock.now() + ms });
    this.#deps.clock.after(ms, () => this.#sweepSoon());
  }

  /** Many changes in a row are one look. */
  #sweepSoon(): void {
    this.#soon ??= this.#deps.clock.after(100, () => {
      this.#soon = undefined;
      this.#sweeping = this.#sweeping
        .then(() => this.sweep())
        .catch((thrown: unknown) => this.#deps.log.error({ err: thrown }, "placeholders cannot be counted"));
    });
  }
}

/** Below `min` the pool is filled to `target`; between both nothing happens. */
function missingOn({ placeholders }: ClusterRecord, there: number): number {
  const { min = 0, target = 0 } = placeholders ?? {};
  return there < min ? Math.max(min, target) - there : 0;
}
