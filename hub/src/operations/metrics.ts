import { type Changes, endingColumns, WAIT_BOUNDS_MS } from "@nest/dispatch";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { endingColumnOf, UNKNOWN_BACKEND } from "../statistics/counting.ts";

/** Relays declare their backend themselves: more names than this are counted together, so that nobody can fill the metrics. */
const MOST_BACKENDS = 20;
const OTHER_BACKENDS = "other";

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
  /** Monitored repositories, and those of them that cannot be read. */
  readonly repositories: () => { readonly monitored: number; readonly unreadable: number };
  /** Replicas that share the database, this one included. */
  readonly replicas: () => number;
}

/** The hub's Prometheus metrics. */
export class Metrics {
  readonly registry = new Registry();
  readonly #tasks: Counter<"event">;
  readonly #batches: Counter;
  readonly #commands: Counter;
  readonly #endings: Counter<"result" | "backend">;
  readonly #verified: Counter;
  readonly #waits: Histogram;
  readonly #backends = new Set<string>([UNKNOWN_BACKEND]);

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
    this.#endings = new Counter({
      name: "nest_task_endings_total",
      help: "Tasks that ended, by how (a column of the page of numbers) and by the relay's backend",
      labelNames: ["result", "backend"],
      registers,
    });
    // A rate over a series that begins at its first failure would not see that failure.
    for (const result of endingColumns) this.#endings.inc({ result, backend: UNKNOWN_BACKEND }, 0);
    this.#verified = new Counter({
      name: "nest_pull_requests_verified_total",
      help: "Pull requests that the code host confirmed, each counted once",
      registers,
    });
    this.#waits = new Histogram({
      name: "nest_task_wait_seconds",
      help: "How long relays waited from ready until they were given a task",
      buckets: WAIT_BOUNDS_MS.map((ms) => ms / 1000),
      registers,
    });
    gauge("nest_repositories", "Monitored repositories", () => sources.repositories().monitored);
    gauge(
      "nest_repositories_unreadable",
      "Monitored repositories that cannot be read",
      () => sources.repositories().unreadable,
    );
    gauge("nest_replicas", "Replicas that share the database, this one included", sources.replicas);
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
    for (const taskId of changes.granted.keys()) {
      const waitedMs = changes.leases.get(taskId)?.waitedMs;
      if (waitedMs !== undefined) this.#waits.observe(waitedMs / 1000);
    }
    for (const ending of changes.endings) {
      this.#tasks.inc({ event: ending.outcome });
      this.#endings.inc({ result: endingColumnOf(ending), backend: this.#backendOf(ending.lease.backend) });
    }
    if (changes.counted.size > 0) this.#verified.inc(changes.counted.size);
    for (const { state } of changes.pullRequests) this.#tasks.inc({ event: `pull_request_${state}` });
  }

  #backendOf(declared: string | undefined): string {
    const backend = declared?.toLowerCase() ?? UNKNOWN_BACKEND;
    if (this.#backends.has(backend)) return backend;
    if (this.#backends.size >= MOST_BACKENDS) return OTHER_BACKENDS;
    this.#backends.add(backend);
    return backend;
  }
}
