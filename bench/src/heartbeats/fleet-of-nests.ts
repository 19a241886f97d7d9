import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";
import { Samples } from "../figures/percentiles.ts";

export interface BeatTarget {
  readonly name: string;
  /** Without a path. */
  readonly url: string;
  readonly secret: string;
}

/** Nests that beat: each on a connection of its own that stays open, as a spoke's does. */
export class FleetOfNests {
  readonly samples = new Samples();
  /** Answers other than 200, and beats without an answer. */
  odd = 0;
  readonly #target: BeatTarget;
  readonly #bodies: readonly string[];
  readonly #connections: readonly Agent[];
  #next = 0;

  constructor(target: BeatTarget, nests: number) {
    this.#target = target;
    this.#bodies = Array.from({ length: nests }, (_, nth) => JSON.stringify(beatOf(nth)));
    this.#connections = this.#bodies.map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
  }

  /** Bytes of one beat. */
  get bytes(): number {
    return this.#bodies[0]?.length ?? 0;
  }

  /** Lets every nest beat once, some at a time: all are known then, and all connections are open. */
  async warmUp(): Promise<void> {
    const AT_ONCE = 20;
    for (let nth = 0; nth < this.#bodies.length; nth += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, () => this.#beat(performance.now())));
    this.samples.clear();
    this.odd = 0;
  }

  /** Beats at a rate, answered or not: what a slow answer delays counts as its delay. */
  async beatAt(perSecond: number, seconds: number): Promise<void> {
    const began = performance.now();
    const count = Math.round(perSecond * seconds);
    const going: Promise<void>[] = [];
    for (let sent = 0; sent < count; ) {
      const due = Math.min(count, Math.floor(((performance.now() - began) / 1000) * perSecond) + 1);
      for (; sent < due; sent += 1) going.push(this.#beat(began + (sent / perSecond) * 1000));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all(going);
  }

  close(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  #beat(dueAt: number): Promise<void> {
    const nth = this.#next;
    this.#next = (this.#next + 1) % this.#bodies.length;
    const body = this.#bodies[nth] ?? "";
    return new Promise((resolve) => {
      const sent = request(`${this.#target.url}/api/heartbeat`, {
        method: "POST",
        agent: this.#connections[nth],
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          authorization: `Bearer ${this.#target.secret}`,
        },
      });
      sent.on("response", (response) => {
        if (response.statusCode !== 200) this.odd += 1;
        response.resume().on("end", () => {
          this.samples.add(performance.now() - dueAt);
          resolve();
        });
      });
      sent.on("error", () => {
        this.odd += 1;
        resolve();
      });
      sent.end(body);
    });
  }
}

/** What a nest with four agents says. */
function beatOf(nth: number): object {
  const started = new Date(Date.UTC(2026, 0, 1)).toISOString();
  const agents = ["scanner", "builder", "reviewer", "guide"].map((name) => ({
    ...{ name, state: "waiting", backend: "claude", enabled: true, needs_login: false, quota_exhausted: false },
    ...{ last_run_at: started, interval_seconds: 900, may: "pull_requests", restarts: 0 },
  }));
  return {
    nest_id: `bench-${nth}`,
    org: "acme",
    repos: ["acme/web", "acme/api", "acme/docs"],
    primary_repo: "acme/web",
    acmm_level: 3,
    agents,
    governor: { mode: "busy", issues: 12, prs: 3 },
    tokens_24h: 120_000,
    dashboard_url: `https://nest-${nth}.example`,
    is_public: false,
    version: "0.1.0",
    started_at: started,
    timestamp: started,
  };
}
