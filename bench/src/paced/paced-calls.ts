import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";
import { Samples } from "../figures/percentiles.ts";

/** One request that is made again and again. */
export interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Calls at a steady rate, in turn, each on a connection of its own that stays open. */
export class PacedCalls {
  readonly samples = new Samples();
  /** Answers other than 200, and calls without an answer. */
  odd = 0;
  readonly #url: string;
  readonly #calls: readonly Call[];
  readonly #connections: readonly Agent[];
  #next = 0;

  /** @param url without a path. */
  constructor(url: string, calls: readonly Call[]) {
    this.#url = url;
    this.#calls = calls;
    this.#connections = calls.map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
  }

  /** Makes every call once, some at a time, so that all connections are open; then calls at a rate. Nothing of it counts. */
  async warmUp(perSecond: number, seconds: number): Promise<void> {
    const AT_ONCE = 20;
    for (let nth = 0; nth < this.#calls.length; nth += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, () => this.#call(performance.now())));
    await this.callAt(perSecond, seconds);
    this.samples.clear();
    this.odd = 0;
  }

  /** Calls at a rate, answered or not: what a slow answer delays counts as its delay. */
  async callAt(perSecond: number, seconds: number): Promise<void> {
    const began = performance.now();
    const count = Math.round(perSecond * seconds);
    const going: Promise<void>[] = [];
    for (let sent = 0; sent < count; ) {
      const due = Math.min(count, Math.floor(((performance.now() - began) / 1000) * perSecond) + 1);
      for (; sent < due; sent += 1) going.push(this.#call(began + (sent / perSecond) * 1000));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await Promise.all(going);
  }

  close(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  #call(dueAt: number): Promise<void> {
    const nth = this.#next;
    this.#next = (this.#next + 1) % this.#calls.length;
    const { method = "GET", path = "/", headers = {}, body } = this.#calls[nth] ?? {};
    return new Promise((resolve) => {
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
      const sent = request(`${this.#url}${path}`, {
        method,
        agent: this.#connections[nth],
        headers: { ...headers, ...length },
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
