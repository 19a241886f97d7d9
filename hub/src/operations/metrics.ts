import type { Changes } from "@nest/dispatch";
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";

export interface MetricsSources {
  readonly connected: () => number;
  readonly leases: () => number;
  readonly actionable: () => number;
  readonly withheld: () => Readonly<Record<string, number>>;
  readonly watchers: () => number;
  readonly malformed: () => number;
  readonly turnedAway: () => number;
  readonly refused: () => number;
  readonly pendingVerifications: () => number;
}

/** The hub's Prometheus metrics. */
export class Metrics {
  readonly registry = new Registry();
  readonly #tasks: Counter<"event">;
  readonly #batches: Counter;
  readonly #commands: Counter;

  constructor(sources: MetricsSources) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry });
    this.#tasks = new Counter({
      name: "nest_tasks_total",
      help: "Tasks by what became of them",
      labelNames: ["event"],
      registers,
    });
    this.#batches = new Counter({
      name: "nest_commits_total",
      help: "Durable transactions that changed leases",
      registers,
    });
    this.#commands = new Counter({
      name: "nest_changes_total",
      help: "Leases written, in all transactions",
      registers,
    });
    gauge("nest_relays_connected", "Authenticated relays", sources.connected);
    gauge("nest_leases", "Tasks under lease", sources.leases);
    gauge("nest_actionable_items", "Issues that a ready could be given now", sources.actionable);
    gauge("nest_watchers", "Open event streams", sources.watchers);
    gauge("nest_frames_malformed", "Frames that could not be read", sources.malformed);
    gauge("nest_relays_refused", "Relays refused at authentication", sources.refused);
    gauge("nest_sockets_turned_away", "Sockets turned away before authentication", sources.turnedAway);
    gauge("nest_verifications_pending", "Pull requests waiting to be verified", sources.pendingVerifications);
    new Gauge({
      name: "nest_withheld_items",
      help: "Open issues that are not offered, by reason",
      labelNames: ["reason"],
      registers,
      collect() {
        this.reset();
        for (const [reason, count] of Object.entries(sources.withheld())) this.set({ reason }, count);
      },
    });

    function gauge(name: string, help: string, read: () => number): void {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    }
  }

  /** Adds the changes of a durable batch. */
  count(changes: Changes): void {
    this.#batches.inc();
    this.#commands.inc(changes.leases.size + changes.endings.length);
    if (changes.granted.size > 0) this.#tasks.inc({ event: "assigned" }, changes.granted.size);
    for (const ending of changes.endings) this.#tasks.inc({ event: ending.outcome });
    for (const { state } of changes.pullRequests) this.#tasks.inc({ event: `pull_request_${state}` });
  }
}
