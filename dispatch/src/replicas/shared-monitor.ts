import { z } from "zod";
import type { Monitor, QueueFeed, RefreshResult, RepositoryState } from "../queue/monitor.ts";
import type { SharedScanStore } from "../queue/scan-store.ts";
import type { Bus } from "./bus.ts";
import type { ReplicaFeed } from "./replica-feed.ts";

export interface SharedMonitorDeps {
  readonly scans: SharedScanStore;
  readonly bus: Bus;
  readonly feed: ReplicaFeed;
  /** Makes a monitor that reads the code host while this replica is the leader. */
  readonly newMonitor: () => Monitor;
}

const RefreshSoon = z.object({ repo: z.string(), visibility: z.boolean() });
/** The result of a round, as the leader sends it. */
const Refreshed = z.object({ repositories: z.number(), issues: z.number(), failed: z.array(z.string()) });

/** A complete round over many repositories can take this long. */
const ROUND_WITHIN_MS = 120_000;
const MOST_ASKS = 3;

/** Feeds the queue of one of several replicas: the leader reads the code host, and the others read the leader's scans. */
export class SharedMonitor implements QueueFeed {
  readonly #deps: SharedMonitorDeps;
  #monitor: Monitor | undefined;
  #leaderChanges = Promise.withResolvers<"changed">();

  constructor(deps: SharedMonitorDeps) {
    this.#deps = deps;
    const { bus, feed } = deps;
    bus.on("scan", (repo) => {
      if (this.#monitor === undefined && typeof repo === "string") void feed.follow(repo);
    });
    bus.on("refresh soon", (body) => {
      const asked = RefreshSoon.safeParse(body);
      if (asked.success) this.#monitor?.refreshSoon(asked.data.repo, { visibility: asked.data.visibility });
    });
    bus.on("leader", () => this.#leaderChanged());
    bus.answer("refresh", async () => this.#monitor?.refresh());
    bus.onGap(() => {
      if (this.#monitor === undefined) void feed.followAll();
    });
  }

  start(): void {
    if (this.#monitor === undefined) void this.#deps.feed.followAll();
  }

  /** This replica became the leader: it starts to read the code host. */
  async lead(): Promise<void> {
    const monitor = this.#deps.newMonitor();
    this.#monitor = monitor;
    this.#leaderChanged();
    void this.#deps.bus.tell("leader", {}).catch(() => undefined);
    await this.#deps.scans.begin().catch(() => undefined);
    if (this.#monitor === monitor) monitor.start();
  }

  /** Another replica is the leader. */
  follow(): void {
    this.#monitor?.stop();
    this.#monitor = undefined;
    void this.#deps.feed.followAll();
  }

  async refresh(): Promise<RefreshResult> {
    const { bus, feed } = this.#deps;
    // The leader may change during the call, so ask again when it does.
    for (let ask = 0; ask < MOST_ASKS; ask += 1) {
      if (this.#monitor !== undefined) return this.#monitor.refresh();
      const asked = bus.ask("refresh", {}, { withinMs: ROUND_WITHIN_MS, enough: 1 });
      const result = await Promise.race([asked.then(([first]) => first ?? "nobody"), this.#leaderChanges.promise]);
      if (result === "changed") continue;
      await feed.followAll();
      const refreshed = Refreshed.safeParse(result);
      if (refreshed.success) return refreshed.data;
      break;
    }
    const known = feed.repositories();
    const issues = known.reduce((sum, { issues: count }) => sum + count, 0);
    return { repositories: known.length, issues, failed: ["no replica reads the code host at this moment"] };
  }

  refreshSoon(repo: string, what: { readonly visibility?: boolean } = {}): boolean {
    if (this.#monitor !== undefined) return this.#monitor.refreshSoon(repo, what);
    const { bus, feed } = this.#deps;
    const wanted = repo.toLowerCase();
    if (!feed.repositories().some((known) => known.repo.toLowerCase() === wanted)) return false;
    void bus.tell("refresh soon", { repo, visibility: what.visibility === true }).catch(() => undefined);
    return true;
  }

  repositories(): RepositoryState[] {
    return this.#monitor?.repositories() ?? this.#deps.feed.repositories();
  }

  stop(): void {
    this.#monitor?.stop();
    this.#monitor = undefined;
  }

  #leaderChanged(): void {
    this.#leaderChanges.resolve("changed");
    this.#leaderChanges = Promise.withResolvers();
  }
}
