import type { ServerResponse } from "node:http";
import type { Activity } from "@nest/dispatch";
import { type Clock, TimeSlicer } from "@nest/kit";
import { stream } from "@nest/protocol";
import type { ReadModel } from "../operations/read-model.ts";
import type { Visibility } from "../operations/visibility.ts";
import { FleetSnapshot } from "./fleet-changes.ts";
import { GZIP_START, Packer, stored } from "./packed-stream.ts";
import { encodedEvent, LongEvent, Payload } from "./stream-payload.ts";

/** Time between two sendings of status and work, and how much longer it is with many relays and tasks: with 10,000 two seconds. */
const SNAPSHOT_EVERY_MS = 1000;
const ROWS_A_MS = 10;
const SNAPSHOT_AT_LEAST_EVERY_MS = 5000;
/**
 * A new line of the feed is sent at once, and those of so long after it together: with twenty watchers a line for each of a busy fleet's
 * tasks would be thousands of writes a second, and the relays would wait for them. Pages show new lines together anyway.
 */
const TOGETHER_MS = 400;
/** The stream works a little at a time, and then rests: what it makes each second must not delay the relays. */
const SLICES = { sliceMs: 0.2, restMs: 1 };
/** When more writes than this wait for their turn, they are made without a rest: there are too many watchers to be gentle. */
const MOST_WAITING_WRITES = 2000;
const MOST_WATCHERS = 1000;
/**
 * Of these, the maximum for people who are not signed in: in all, and from one address. The rest is reserved for operators.
 */
const MOST_ANONYMOUS = 800;
const MOST_ANONYMOUS_PER_ADDRESS = 20;
/**
 * A watcher with more unread bytes than this, besides its first snapshot, is disconnected; it reconnects and gets a new
 * snapshot.
 */
const MOST_QUEUED_BYTES = 1024 * 1024;
const REPLAY = 20;

interface Watcher {
  /** Visibility filter. Watchers with the same filter share one serialised payload. */
  readonly visibility: Visibility;
  /** Whether it wants only the changes of the fleet, which are far fewer bytes with thousands of relays. */
  readonly wantsChanges: boolean;
  /** Whether it reads gzip. */
  readonly isPacked: boolean;
  readonly audience: Audience;
  /** Maximum number of unread bytes. It includes the first snapshot, which for a large fleet exceeds the usual maximum. */
  readonly maxQueuedBytes: number;
}

/** A watcher that waits for its first snapshot. */
interface Guest {
  readonly response: ServerResponse;
  readonly audience: Audience;
  readonly wishes: Wishes;
  /** Settles when it has its first snapshot, or when that could not be made. */
  readonly welcomed: PromiseWithResolvers<void>;
}

/** What a watcher wants. */
export interface Wishes {
  /** Only the changes of the fleet after the first snapshot. */
  readonly wantsChanges?: boolean;
  /** The stream in gzip: a tenth of the bytes. */
  readonly isPacked?: boolean;
}

/** The identity of a watcher. */
export interface Audience {
  /** Visibility filter; the same function object for watchers who may see the same. */
  readonly visibility: Visibility;
  /** The client's address if it is not signed in; undefined for a known identity. */
  readonly anonymousAt: string | undefined;
  /** Whether the identity is still valid: its session has not ended and its rights are the same. */
  readonly isStill: () => Promise<boolean>;
}

/**
 * Server-sent events for watchers: `hello`, then each `activity`, `status` when it changed, and `work`, either always whole
 * or once and then as `changes`. A `heartbeat` arrives at fixed intervals: scripts can see it, unlike a comment, so a page
 * can say when it stops.
 */
export class EventStream {
  readonly #model: ReadModel;
  readonly #clock: Clock;
  readonly #watchers = new Map<ServerResponse, Watcher>();
  /** Watchers whose first snapshot is being made, or will be. */
  readonly #joining = new Map<ServerResponse, Audience>();
  /** Those of them for whom nothing was done yet. */
  #guests: Guest[] = [];
  /** The last snapshot sent, by visibility filter: the baseline of the next changes. */
  readonly #snapshots = new Map<Visibility, FleetSnapshot>();
  /** The last lines of the feed, sent to each new watcher. */
  #latest: Activity[] = [];
  /** Lines of the feed that watchers were not sent yet. */
  #unsent: Activity[] = [];
  #isActivityDue = false;
  /** What is to be written to whom, in order. */
  readonly #writes: { readonly response: ServerResponse; readonly watcher: Watcher; readonly payload: Payload }[] = [];
  #isWriting = false;
  #beforeTelling: () => void = () => {};
  #changed = false;
  #scheduled = false;
  /** Snapshots are made in time slices, one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The status that watchers were told last. */
  readonly #told = new Map<Visibility, string>();
  readonly #packer = new Packer();
  readonly #stopHeartbeat: () => void;

  constructor(model: ReadModel, clock: Clock) {
    this.#model = model;
    this.#clock = clock;
    this.#stopHeartbeat = clock.every(stream.STREAM_HEARTBEAT_MS, () => {
      const heartbeat = event("heartbeat", { at: new Date(clock.now()).toISOString() });
      this.#send(() => heartbeat);
      if (this.#isStatusNews()) this.change();
      void this.review();
    });
  }

  /** `act` is called before watchers are told of a change: what they ask for then must know of it. */
  beforeTelling(act: () => void): void {
    this.#beforeTelling = act;
  }

  /** Reads the last lines of the feed from the database. */
  async load(): Promise<void> {
    this.#latest = (await this.#model.latest(REPLAY)).reverse();
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /** Adds a watcher; false when there are too many. */
  async watch(response: ServerResponse, audience: Audience, wishes: Wishes = {}): Promise<boolean> {
    if (!this.#hasRoomFor(audience)) return false;
    this.#joining.set(response, audience);
    try {
      await this.#model.refreshed();
      const welcomed = Promise.withResolvers<void>();
      this.#guests.push({ response, audience, wishes, welcomed });
      // One turn welcomes all who came until it began: twenty pages that open together get one snapshot. Nobody waits for a later turn.
      void this.#inTurn(() => this.#welcomeAll());
      await welcomed.promise;
      return true;
    } finally {
      this.#joining.delete(response);
    }
  }

  /**
   * Ends the streams of watchers whose session ended or whose rights changed; they may reconnect with their current identity.
   */
  async review(): Promise<void> {
    for (const [response, { audience }] of [...this.#watchers]) {
      if (audience.anonymousAt !== undefined) continue;
      const isStill = await audience.isStill().catch(() => false);
      if (isStill) continue;
      // Nothing may be written to it any more, and its closing comes a moment later.
      this.#watchers.delete(response);
      response.end();
    }
  }

  #hasRoomFor({ anonymousAt }: Audience): boolean {
    const audiences = [...[...this.#watchers.values()].map(({ audience }) => audience), ...this.#joining.values()];
    if (audiences.length >= MOST_WATCHERS) return false;
    if (anonymousAt === undefined) return true;
    const anonymous = audiences.filter((other) => other.anonymousAt !== undefined);
    if (anonymous.length >= MOST_ANONYMOUS) return false;
    return anonymous.filter((other) => other.anonymousAt === anonymousAt).length < MOST_ANONYMOUS_PER_ADDRESS;
  }

  async #welcomeAll(): Promise<void> {
    const guests = Map.groupBy(this.#guests, ({ audience }) => audience.visibility);
    this.#guests = [];
    for (const [visibility, some] of guests) {
      try {
        await this.#welcome(visibility, some);
        for (const { welcomed } of some) welcomed.resolve();
      } catch (thrown) {
        for (const { welcomed } of some) welcomed.reject(thrown);
      }
    }
  }

  async #welcome(visibility: Visibility, guests: readonly Guest[]): Promise<void> {
    this.#beforeTelling();
    // The first watcher gets everything in its snapshot; changes made while the snapshot is built are sent after it.
    if (this.#watchers.size === 0) this.#changed = false;
    const slicer = new TimeSlicer(SLICES);
    const { snapshot, changes } = await this.#snapshotFor(visibility, slicer);
    // Watchers of changes share one baseline: send them the pending changes before adding one.
    await this.#sendTo(visibility, (watcher) => watcher.wantsChanges, changes);
    const whole = new LongEvent({ name: "work", json: () => snapshot.pieces(), slicer, packer: this.#packer });
    for (const guest of guests) {
      const pieces = await (guest.wishes.isPacked ? whole.packed() : whole.plain());
      await slicer.pause();
      if (!guest.response.destroyed) this.#enter(guest, pieces);
    }
    if (this.#changed) this.change();
  }

  #enter({ response, audience, wishes }: Guest, whole: readonly Buffer[]): void {
    const { visibility } = audience;
    const { wantsChanges = false, isPacked = false } = wishes;
    // It finds them in its first message.
    this.#sendActivity();
    const activity = this.#latest.map((line) => this.#model.entry(line, visibility)).reverse();
    response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      vary: "accept-encoding",
      ...(isPacked ? { "content-encoding": "gzip" } : {}),
      "x-accel-buffering": "no",
      connection: "keep-alive",
    });
    // Those who watch already were not told this one.
    if (!this.#told.has(visibility)) this.#statusFor(visibility);
    const hello = event("hello", { activity, status: this.#model.status(visibility) });
    const first = `retry: 2000\n\n${hello}`;
    response.write(isPacked ? Buffer.concat([GZIP_START, stored(Buffer.from(first))]) : first);
    for (const piece of whole) response.write(piece);
    this.#watchers.set(response, {
      visibility,
      wantsChanges,
      isPacked,
      audience,
      maxQueuedBytes: response.writableLength + MOST_QUEUED_BYTES,
    });
    response.on("close", () => this.#watchers.delete(response));
    response.on("error", () => this.#watchers.delete(response));
  }

  /** Sends new lines of the activity feed; call it after they are durable. */
  tell(lines: readonly Activity[]): void {
    for (const line of lines) this.#latest.push(line);
    if (this.#latest.length > REPLAY) this.#latest.splice(0, this.#latest.length - REPLAY);
    if (this.#watchers.size === 0) return;
    for (const line of lines) this.#unsent.push(line);
    if (!this.#isActivityDue) this.#sendActivity();
    this.change();
  }

  #sendActivity(): void {
    const lines = this.#unsent;
    if (lines.length === 0) return;
    this.#unsent = [];
    this.#send((visibility) => lines.map((line) => event("activity", this.#model.entry(line, visibility))).join(""));
    if (this.#isActivityDue) return;
    this.#isActivityDue = true;
    this.#clock.after(TOGETHER_MS, () => {
      this.#isActivityDue = false;
      this.#sendActivity();
    });
  }

  /** Call when status or work may have changed. */
  change(): void {
    this.#changed = true;
    if (this.#scheduled || this.#watchers.size === 0) return;
    this.#scheduled = true;
    const rows = [...this.#snapshots.values()].reduce((sum, { size }) => sum + size, 0);
    this.#clock.after(Math.min(SNAPSHOT_AT_LEAST_EVERY_MS, SNAPSHOT_EVERY_MS + Math.floor(rows / ROWS_A_MS)), () => {
      this.#scheduled = false;
      if (!this.#changed) return;
      this.#changed = false;
      void this.#inTurn(async () => {
        await this.#model.refreshed();
        await this.#sendSnapshot();
      });
    });
  }

  #inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(act);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #sendSnapshot(): Promise<void> {
    this.#beforeTelling();
    const kinds = new Map<Visibility, { whole: boolean; changes: boolean }>();
    for (const { visibility, wantsChanges } of this.#watchers.values()) {
      const kind = kinds.get(visibility) ?? { whole: false, changes: false };
      kinds.set(visibility, { whole: kind.whole || !wantsChanges, changes: kind.changes || wantsChanges });
    }
    for (const visibility of this.#snapshots.keys()) if (!kinds.has(visibility)) this.#snapshots.delete(visibility);
    for (const visibility of this.#told.keys()) if (!kinds.has(visibility)) this.#told.delete(visibility);
    for (const [visibility, { whole, changes }] of kinds) {
      const slicer = new TimeSlicer(SLICES);
      const { snapshot, changes: delta } = await this.#snapshotFor(visibility, slicer);
      const status = this.#statusFor(visibility);
      if (whole) {
        const all = await encodedEvent("work", snapshot.pieces(), slicer);
        await this.#sendTo(visibility, (watcher) => !watcher.wantsChanges, [Buffer.from(status), ...all]);
      }
      if (changes) await this.#sendTo(visibility, (watcher) => watcher.wantsChanges, [Buffer.from(status), ...delta]);
    }
  }

  /** Also what nobody announces as a change reaches watchers: a repository that cannot be read any more, or can again. */
  #isStatusNews(): boolean {
    const visibilities = new Set([...this.#watchers.values()].map(({ visibility }) => visibility));
    return [...visibilities].some((one) => this.#told.get(one) !== event("status", this.#model.status(one)));
  }

  #statusFor(visibility: Visibility): string {
    const status = event("status", this.#model.status(visibility));
    this.#told.set(visibility, status);
    return status;
  }

  /** The fleet as it is now, and the event with what has changed since it was looked at last; empty where there is none. */
  async #snapshotFor(
    visibility: Visibility,
    slicer: TimeSlicer,
  ): Promise<{ readonly snapshot: FleetSnapshot; readonly changes: readonly Buffer[] }> {
    const snapshot = this.#snapshots.get(visibility) ?? new FleetSnapshot();
    this.#snapshots.set(visibility, snapshot);
    const changes = await slicer.through(snapshot.take(await slicer.through(this.#model.fleet(visibility))));
    return { snapshot, changes: changes === undefined ? [] : await encodedEvent("changes", changes, slicer) };
  }

  /** Sends to some watchers, a few at a time: what is written to one waits in the kernel, and many together take milliseconds. */
  async #sendTo(
    visibility: Visibility,
    wants: (watcher: Watcher) => boolean,
    pieces: readonly Buffer[],
  ): Promise<void> {
    if (pieces.length === 0) return;
    const wanting = [...this.#watchers].filter(([, watcher]) => watcher.visibility === visibility && wants(watcher));
    const payload = new Payload(Buffer.concat(pieces));
    if (wanting.some(([, { isPacked }]) => isPacked)) await payload.pack(this.#packer);
    const slicer = new TimeSlicer(SLICES);
    for (const [response, watcher] of wanting) {
      await slicer.pause();
      // It may have left, or may not be told any more, since the last turn.
      if (this.#watchers.has(response)) payload.send(response, watcher);
    }
  }

  close(): void {
    this.#stopHeartbeat();
    this.#writes.length = 0;
    for (const watcher of this.#watchers.keys()) watcher.end();
    this.#packer.close();
  }

  /** Sends to all who watch now, in order, a few at a time. */
  #send(textFor: (visibility: Visibility) => string): void {
    const payloads = new Map<Visibility, Payload>();
    for (const [response, watcher] of this.#watchers) {
      const payload = payloads.get(watcher.visibility) ?? new Payload(textFor(watcher.visibility));
      payloads.set(watcher.visibility, payload);
      this.#writes.push({ response, watcher, payload });
    }
    if (!this.#isWriting) void this.#write();
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    const slicer = new TimeSlicer(SLICES);
    for (let next = this.#writes.shift(); next !== undefined; next = this.#writes.shift()) {
      const { response, watcher, payload } = next;
      const pause = this.#writes.length > MOST_WAITING_WRITES ? undefined : slicer.pause();
      if (pause !== undefined) await pause;
      if (watcher.isPacked && !payload.isPacked) await payload.pack(this.#packer);
      // It may have left, or may not be told any more, since then.
      if (this.#watchers.has(response)) payload.send(response, watcher);
    }
    this.#isWriting = false;
  }
}

function event(name: string, value: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
}
