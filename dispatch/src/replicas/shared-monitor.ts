import { z } from "zod";
import type { Monitor, QueueFeed, RefreshResult, RepositoryState } from "../queue/monitor.ts";
import type { SharedScanStore } from "../queue/scan-store.ts";
import type { Bus } from "./bus.ts";
import type { Follower } from "./replica-feed.ts";

export interface SharedMonitorParts {
  readonly scans: SharedScanStore;
  readonly bus: Bus;
  readonly follower: Follower;
  /** A monitor that reads the code host, for as long as this replica is the one that does. */
  readonly newMonitor: () => Monitor;
}

const RefreshSoon = z.object({ repo: z.string(), visibility: z.boolean() });
/** What a round came to, as the replica on duty tells it. */
const Refreshed = z.object({ repositories: z.number(), issues: z.number(), failed: z.array(z.string()) });

/** A complete round over many repositories takes its time. */
const ROUND_WITHIN_MS = 120_000;
const MOST_ASKS = 3;

/** Feeds the queue of one of several replicas: one of them reads the code host, the others take over what it has read. */
export class SharedMonitor implements QueueFeed {
  readonly #parts: SharedMonitorParts;
  #monitor: Monitor | undefined;
  #dutyChanges = Promise.withResolvers<"changed">();

  constructor(parts: SharedMonitorParts) {
    this.#parts = parts;
    const { bus, follower } = parts;
    bus.on("scan", (repo) => {
      if (this.#monitor === undefined && typeof repo === "string") void follower.follow(repo);
    });
    bus.on("refresh soon", (body) => {
      const asked = RefreshSoon.safeParse(body);
      if (asked.success) this.#monitor?.refreshSoon(asked.data.repo, { visibility: asked.data.visibility });
    });
    bus.on("duty", () => this.#dutyChanged());
    bus.answer("refresh", async () => this.#monitor?.refresh());
    bus.onGap(() => {
      if (this.#monitor === undefined) void follower.followAll();
    });
  }

  start(): void {
    if (this.#monitor === undefined) void this.#parts.follower.followAll();
  }

  /** This replica reads the code host from now on. */
  async takeDuty(): Promise<void> {
    const monitor = this.#parts.newMonitor();
    this.#monitor = monitor;
    this.#dutyChanged();
    void this.#parts.bus.tell("duty", {}).catch(() => undefined);
    await this.#parts.scans.begin().catch(() => undefined);
    if (this.#monitor === monitor) monitor.start();
  }

  /** Another replica does. */
  leaveDuty(): void {
    this.#monitor?.stop();
    this.#monitor = undefined;
    void this.#parts.follower.followAll();
  }

  async refresh(): Promise<RefreshResult> {
    const { bus, follower } = this.#parts;
    // Who has the duty may change while it is asked for.
    for (let ask = 0; ask < MOST_ASKS; ask += 1) {
      if (this.#monitor !== undefined) return this.#monitor.refresh();
      const asked = bus.ask("refresh", {}, { withinMs: ROUND_WITHIN_MS, enough: 1 });
      const result = await Promise.race([asked.then(([first]) => first ?? "nobody"), this.#dutyChanges.promise]);
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
    const { bus, follower } = this.#parts;
    const wanted = repo.toLowerCase();
    if (!follower.repositories().some((known) => known.repo.toLowerCase() === wanted)) return false;
    void bus.tell("refresh soon", { repo, visibility: what.visibility === true }).catch(() => undefined);
    return true;
  }

  repositories(): RepositoryState[] {
    return this.#monitor?.repositories() ?? this.#parts.follower.repositories();
  }

  stop(): void {
    this.#monitor?.stop();
    this.#monitor = undefined;
  }

  #dutyChanged(): void {
    this.#dutyChanges.resolve("changed");
    this.#dutyChanges = Promise.withResolvers();
  }
}
