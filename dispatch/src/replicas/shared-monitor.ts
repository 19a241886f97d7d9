import { z } from "zod";
import type { Monitor, QueueFeed, RefreshResult, RepositoryState } from "../queue/monitor.ts";
import type { SharedScanStore } from "../queue/scan-store.ts";
import type { Bus } from "./bus.ts";
import type { ReplicaFeed } from "./replica-feed.ts";

export interface SharedMonitorDeps {
  readonly scans: SharedScanStore;
  readonly bus: Bus;
  readonly follower: ReplicaFeed;
  /** A monitor that reads the code host, for as long as this replica is the one that does. */
  readonly newMonitor: () => Monitor;
}

const RefreshSoon = z.object({ repo: z.string(), visibility: z.boolean() });
/** What a round came to, as the leader tells it. */
const Refreshed = z.object({ repositories: z.number(), issues: z.number(), failed: z.array(z.string()) });

/** A complete round over many repositories takes its time. */
const ROUND_WITHIN_MS = 120_000;
const MOST_ASKS = 3;

/** Feeds the queue of one of several replicas: one of them reads the code host, the others take over what it has read. */
export class SharedMonitor implements QueueFeed {
  readonly #deps: SharedMonitorDeps;
  #monitor: Monitor | undefined;
  #leaderChanges = Promise.withResolvers<"changed">();

  constructor(deps: SharedMonitorDeps) {
    this.#deps = deps;
    const { bus, follower } = deps;
    bus.on("scan", (repo) => {
      if (this.#monitor === undefined && typeof repo === "string") void follower.follow(repo);
    });
    bus.on("refresh soon", (body) => {
      const asked = RefreshSoon.safeParse(body);
      if (asked.success) this.#monitor?.refreshSoon(asked.data.repo, { visibility: asked.data.visibility });
    });
    bus.on("leader", () => this.#leaderChanged());
    bus.answer("refresh", async () => this.#monitor?.refresh());
    bus.onGap(() => {
      if (this.#monitor === undefined) void follower.followAll();
    });
  }

  start(): void {
    if (this.#monitor === undefined) void this.#deps.follower.followAll();
  }

  /** This replica reads the code host from now on. */
  async lead(): Promise<void> {
    const monitor = this.#deps.newMonitor();
    this.#monitor = monitor;
    this.#leaderChanged();
    void this.#deps.bus.tell("leader", {}).catch(() => undefined);
    await this.#deps.scans.begin().catch(() => undefined);
    if (this.#monitor === monitor) monitor.start();
  }

  /** Another replica does. */
  follow(): void {
    this.#monitor?.stop();
    this.#monitor = undefined;
    void this.#deps.follower.followAll();
  }

  async refresh(): Promise<RefreshResult> {
    const { bus, follower } = this.#deps;
    // Who has the duty may change while it is asked for.
    for (let ask = 0; ask < MOST_ASKS; ask += 1) {
      if (this.#monitor !== undefined) return this.#monitor.refresh();
      const asked = bus.ask("refresh", {}, { withinMs: ROUND_WITHIN_MS, enough: 1 });
      const result = await Promise.race([asked.then(([first]) => first ?? "nobody"), this.#leaderChanges.promise]);
      if (result === "changed") continue;
      await follower.followAll();
      const refreshed = Refreshed.safeParse(result);
      if (refreshed.success) return refreshed.data;
      break;
    }
    const known = follower.repositories();
    const issues = known.reduce((sum, { issues: count }) => sum + count, 0);
    return { repositories: known.length, issues, failed: ["no replica reads the code host at this moment"] };
  }

  refreshSoon(repo: string, what: { readonly visibility?: boolean } = {}): boolean {
    if (this.#monitor !== undefined) return this.#monitor.refreshSoon(repo, what);
    const { bus, follower } = this.#deps;
    const wanted = repo.toLowerCase();
    if (!follower.repositories().some((known) => known.repo.toLowerCase() === wanted)) return false;
    void bus.tell("refresh soon", { repo, visibility: what.visibility === true }).catch(() => undefined);
    return true;
  }

  repositories(): RepositoryState[] {
    return this.#monitor?.repositories() ?? this.#deps.follower.repositories();
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
