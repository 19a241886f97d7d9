import type { ServerResponse } from "node:http";
import type { Activity } from "@nest/dispatch";
import { type Clock, TimeSlicer } from "@nest/kit";
import { stream } from "@nest/protocol";
import { changesSince, type FleetSnapshot, pictureOf, wholeOf } from "./fleet-changes.ts";
import type { ReadModel, Visibility } from "./read-model.ts";

/** How often watchers are told of status and work at most. */
const SNAPSHOT_EVERY_MS = 1000;
const MOST_WATCHERS = 1000;
/** Of those, for people who are not signed in: in all, and from one address. Who operates the hub always finds room. */
const MOST_ANONYMOUS = 800;
const MOST_ANONYMOUS_PER_ADDRESS = 20;
/** A watcher that leaves this much unread, beside the picture it began with, is let go; it comes back and gets the whole again. */
const MOST_QUEUED_BYTES = 1024 * 1024;
const REPLAY = 20;

interface Watcher {
  /** What it may see: there are few kinds of that, and each kind is written once. */
  readonly sees: Visibility;
  /** Whether it wants only what changed of the fleet, which for thousands of relays is very much less. */
  readonly wantsChanges: boolean;
  readonly audience: Audience;
  /** Bytes that may wait for it to read: of a large fleet the first picture alone is more than what may come after it. */
  readonly mayWait: number;
}

/** Who watches. */
export interface Audience {
  /** What it may see. The same function for everybody who sees the same. */
  readonly sees: Visibility;
  /** Where somebody who is not signed in watches from; undefined for a known identity. */
  readonly anonymousAt: string | undefined;
  /** Whether the identity still proves what it proved at first: its session goes on, its rights are the same. */
  readonly isStill: () => Promise<boolean>;
}

/**
 * Server-sent events for everybody who watches: `hello`, then `activity` as it happens, `status` when it changed, and `work`,
 * whole or once and from then on as `changes`. A `heartbeat` comes whatever happens: scripts see it, unlike a comment, and a
 * page can say when it comes no longer.
 */
export class EventStream {
  readonly #model: ReadModel;
  readonly #clock: Clock;
  readonly #watchers = new Map<ServerResponse, Watcher>();
  /** Those whose first picture is being made. */
  readonly #coming = new Map<ServerResponse, Audience>();
  /** The fleet as everybody who follows its changes knows it, for each kind of watcher. */
  readonly #told = new Map<Visibility, FleetSnapshot>();
  /** The last lines of the feed, for those who come to watch. */
  #latest: readonly Activity[] = [];
  #changed = false;
  #scheduled = false;
  /** Pictures are made a slice at a time, and one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #stopHeartbeat: () => void;

  constructor(model: ReadModel, clock: Clock) {
    this.#model = model;
    this.#clock = clock;
    this.#stopHeartbeat = clock.every(stream.STREAM_HEARTBEAT_MS, () => {
      const heartbeat = event("heartbeat", { at: new Date(clock.now()).toISOString() });
      this.#broadcast(() => heartbeat);
      void this.review();
    });
  }

  /** Begins with what is on disk. */
  async load(): Promise<void> {
    this.#latest = (await this.#model.latest(REPLAY)).reverse();
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /** Adds a watcher; false when there are too many. */
  async watch(response: ServerResponse, audience: Audience, wantsChanges = false): Promise<boolean> {
    if (!this.#hasRoomFor(audience)) return false;
    this.#coming.set(response, audience);
    try {
      await this.#model.refreshed();
      return await this.#inTurn(() => this.#welcome(response, audience, wantsChanges));
    } finally {
      this.#coming.delete(response);
    }
  }

  /** Ends the streams of those whose session ended or who lost a right; they may come back as who they are now. */
  async review(): Promise<void> {
    for (const [response, { audience }] of [...this.#watchers]) {
      if (audience.anonymousAt !== undefined) continue;
      const isStill = await audience.isStill().catch(() => false);
      if (!isStill) response.end();
    }
  }

  #hasRoomFor({ anonymousAt }: Audience): boolean {
    const audiences = [...[...this.#watchers.values()].map(({ audience }) => audience), ...this.#coming.values()];
    if (audiences.length >= MOST_WATCHERS) return false;
    if (anonymousAt === undefined) return true;
    const anonymous = audiences.filter((other) => other.anonymousAt !== undefined);
    if (anonymous.length >= MOST_ANONYMOUS) return false;
    return anonymous.filter((other) => other.anonymousAt === anonymousAt).length < MOST_ANONYMOUS_PER_ADDRESS;
  }

  async #welcome(response: ServerResponse, audience: Audience, wantsChanges: boolean): Promise<boolean> {
    const { sees } = audience;
    // What changes while the picture is made is told to whoever comes first, too.
    if (this.#watchers.size === 0) this.#changed = false;
    const breath = new TimeSlicer();
    const picture = await this.#pictureFor(sees, breath);
    // Those who follow changes all know the same fleet: what came up until now is told before somebody joins them.
    const changes = wantsChanges ? await this.#changes(sees, picture, breath) : "";
    this.#tellWaiting(sees, (watcher) => watcher.wantsChanges, changes);
    if (response.destroyed) return true;
    const activity = this.#latest.map((line) => this.#model.entry(line, sees)).reverse();
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      connection: "keep-alive",
    });
    const hello = event("hello", { activity, status: this.#model.status(sees) });
    response.write(`retry: 2000\n\n${hello}${eventOf("work", wholeOf(picture))}`);
    this.#watchers.set(response, {
      sees,
      wantsChanges,
      audience,
      mayWait: response.writableLength + MOST_QUEUED_BYTES,
    });
    response.on("close", () => this.#watchers.delete(response));
    response.on("error", () => this.#watchers.delete(response));
    if (this.#changed) this.change();
    return true;
  }

  /** Something happened that is on disk. */
  tell(lines: readonly Activity[]): void {
    if (lines.length > 0) this.#latest = [...this.#latest, ...lines].slice(-REPLAY);
    if (this.#watchers.size === 0) return;
    if (lines.length > 0)
      this.#broadcast((sees) => lines.map((line) => event("activity", this.#model.entry(line, sees))).join(""));
    this.change();
  }

  /** Status or work may have changed. */
  change(): void {
    this.#changed = true;
    if (this.#scheduled || this.#watchers.size === 0) return;
    this.#scheduled = true;
    this.#clock.after(SNAPSHOT_EVERY_MS, () => {
      this.#scheduled = false;
      if (!this.#changed) return;
      this.#changed = false;
      void this.#inTurn(async () => {
        await this.#model.refreshed();
        await this.#tellSnapshot();
      });
    });
  }

  #inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(act);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #tellSnapshot(): Promise<void> {
    const kinds = new Map<Visibility, { whole: boolean; changes: boolean }>();
    for (const { sees, wantsChanges } of this.#watchers.values()) {
      const kind = kinds.get(sees) ?? { whole: false, changes: false };
      kinds.set(sees, { whole: kind.whole || !wantsChanges, changes: kind.changes || wantsChanges });
    }
    for (const sees of this.#told.keys()) if (kinds.get(sees)?.changes !== true) this.#told.delete(sees);
    for (const [sees, { whole, changes }] of kinds) {
      const breath = new TimeSlicer();
      const picture = await this.#pictureFor(sees, breath);
      const news = changes ? await this.#changes(sees, picture, breath) : "";
      const status = event("status", this.#model.status(sees));
      if (whole)
        this.#tellWaiting(sees, (watcher) => !watcher.wantsChanges, status + eventOf("work", wholeOf(picture)));
      if (changes) this.#tellWaiting(sees, (watcher) => watcher.wantsChanges, status + news);
    }
  }

  async #pictureFor(sees: Visibility, breath: TimeSlicer): Promise<FleetSnapshot> {
    return breath.through(pictureOf(await breath.through(this.#model.fleet(sees))));
  }

  /** What followers of changes have to be told to know this fleet; they know it from then on. */
  async #changes(sees: Visibility, after: FleetSnapshot, breath: TimeSlicer): Promise<string> {
    const before = this.#told.get(sees);
    const changes = before === undefined ? undefined : await breath.through(changesSince(before, after));
    this.#told.set(sees, after);
    return changes === undefined ? "" : eventOf("changes", changes);
  }

  #tellWaiting(sees: Visibility, wants: (watcher: Watcher) => boolean, text: string): void {
    if (text === "") return;
    for (const [response, watcher] of this.#watchers)
      if (watcher.sees === sees && wants(watcher)) send(response, watcher, text);
  }

  close(): void {
    this.#stopHeartbeat();
    for (const watcher of this.#watchers.keys()) watcher.end();
  }

  #broadcast(tell: (sees: Visibility) => string): void {
    const told = new Map<Visibility, string>();
    for (const [response, watcher] of this.#watchers) {
      const text = told.get(watcher.sees) ?? tell(watcher.sees);
      told.set(watcher.sees, text);
      send(response, watcher, text);
    }
  }
}

function send(response: ServerResponse, { mayWait }: Watcher, text: string): void {
  if (response.writableLength > mayWait) response.destroy();
  else response.write(text);
}

function event(name: string, value: unknown): string {
  return eventOf(name, JSON.stringify(value));
}

function eventOf(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}
