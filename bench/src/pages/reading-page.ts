import { Agent, get, type IncomingMessage } from "node:http";
import { createGunzip } from "node:zlib";
import type { HubPlace } from "../load/bench-relay.ts";
import { ADMIN_TOKEN } from "../load/watcher.ts";
import type { Recording } from "./recorded-hub.ts";

/** What the page asks for when it is opened. */
const AT_FIRST = [
  "/api/auth/user",
  "/api/contribute/queue?limit=100&cursor=0",
  "/api/contribute/activity?limit=100",
  "/api/contribute/pauses",
  "/api/contribute/metrics",
];
/** What it asks for again when the stream tells a new status: so long after it, give or take a fifth, as the page does. */
const AGAIN = "/api/contribute/queue?limit=100&cursor=0";
const AGAIN_AFTER_MS = 1500;
const SPREAD = 0.2;
/** And this when there is activity, at most this often. */
const SELDOM = "/api/contribute/metrics";
const SELDOM_EVERY_MS = 6000;
/** Of these it accepts an answer that others were given a moment before. */
const SHARED = new Set([AGAIN, SELDOM]);
const SOCKETS = 6;

/** One operations page without a browser: follows the stream, and asks for the lists on the screen as the page does. */
export class ReadingPage {
  readonly #place: HubPlace;
  readonly #recording: Recording | undefined;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });
  #stream: IncomingMessage | undefined;
  #again: NodeJS.Timeout | undefined;
  #seldom: NodeJS.Timeout | undefined;
  streamBytes = 0;
  events = 0;
  calls = 0;
  failed = 0;
  isOpen = false;

  /** Keeps what it is told, where there is a recording to keep it in. */
  constructor(place: HubPlace, recording?: Recording) {
    this.#place = place;
    this.#recording = recording;
  }

  /** Opens it; resolves when the first snapshot of the fleet is here. */
  async open(): Promise<void> {
    for (const path of AT_FIRST) void this.#call(path);
    const stream = await this.#get("/api/contribute/events?fleet=changes");
    if (stream.statusCode !== 200) throw new Error(`the hub's stream answers ${stream.statusCode}`);
    this.#stream = stream;
    if (this.#recording !== undefined) this.#recording.streamHeaders = stream.headers;
    stream.on("data", (chunk: Buffer) => {
      this.streamBytes += chunk.length;
      this.#recording?.addPart(chunk);
    });
    const read = stream.headers["content-encoding"] === "gzip" ? stream.pipe(createGunzip()) : stream;
    // A stream that is cut off in the middle is no fault of its text.
    read.on("error", () => undefined);
    await new Promise<void>((resolve) => {
      read.on("data", (chunk: Buffer) => {
        this.#hear(chunk);
        if (this.isOpen || chunk.indexOf("event: work") === -1) return;
        this.isOpen = true;
        resolve();
      });
    });
    stream.on("close", () => {
      if (this.isOpen) this.failed += 1;
      this.isOpen = false;
    });
  }

  close(): void {
    this.isOpen = false;
    clearTimeout(this.#again);
    clearTimeout(this.#seldom);
    this.#stream?.destroy();
    this.#agent.destroy();
  }

  #hear(chunk: Buffer): void {
    for (let at = chunk.indexOf("event: "); at !== -1; at = chunk.indexOf("event: ", at + 1)) this.events += 1;
    if (chunk.includes("event: status"))
      this.#again ??= setTimeout(
        () => {
          this.#again = undefined;
          void this.#call(AGAIN);
        },
        AGAIN_AFTER_MS * (1 - SPREAD + 2 * SPREAD * Math.random()),
      );
    if (chunk.includes("event: activity"))
      this.#seldom ??= setTimeout(() => {
        this.#seldom = undefined;
        void this.#call(SELDOM);
      }, SELDOM_EVERY_MS);
  }

  async #call(path: string): Promise<void> {
    try {
      const answer = await this.#get(path, this.#agent);
      const parts: Buffer[] = [];
      for await (const part of answer) parts.push(part);
      this.#recording?.answers.set(path, { headers: answer.headers, body: Buffer.concat(parts) });
      this.calls += 1;
      if (answer.statusCode !== 200) this.failed += 1;
    } catch {
      this.failed += 1;
    }
  }

  #get(path: string, agent?: Agent): Promise<IncomingMessage> {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, "accept-encoding": "gzip, deflate, br" };
    if (SHARED.has(path)) Object.assign(headers, { "cache-control": "max-age=1" });
    return new Promise((resolve, reject) => {
      const request = get({ ...this.#place, path, headers, ...(agent === undefined ? {} : { agent }) }, resolve);
      request.on("error", reject);
    });
  }
}
