import { backoffMs, type Clock, type Log, type Random, sentenceOf } from "@nest/kit";
import type { ChannelConfig, nestNotifications } from "@nest/protocol";
import { deliver } from "./deliver.ts";
import { type Envelope, failed, type Outcome } from "./delivery.ts";
import { digestOf, type Message, type Sender } from "./message.ts";
import { isQuiet, type QuietHours, readQuietHours } from "./quiet-hours.ts";
import { type FoundSecret, findSecret, type SecretPlace } from "./secret-store.ts";
import { MOST_AN_HOUR, MOST_WAITING, type Waiting } from "./waiting.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const TRIES = 3;
const BACKOFF = { firstMs: 5_000, longestMs: 60_000 };
/** How often a channel looks whether it may send again. */
const LOOK_MS = 60_000;

export interface ChannelDeps extends SecretPlace {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly sender: Sender;
  /** Where people open the sender, if that is known. */
  readonly address: () => string | undefined;
  /** Called whenever something else waits than before. */
  readonly onWaiting: () => void;
}

/** How a channel does, without its secret. */
export type ChannelStatus<Event extends string> = Omit<nestNotifications.NotificationChannel, "events"> & {
  readonly events: Event[];
};

/**
 * One channel with what waits for it. Messages go out one at a time, in their order. While it is quiet, while they are gathered for a
 * digest, or after too many in an hour, they wait; those that waited go out as one. A message gets three tries. A channel goes on with
 * what waited for the one before it: after a restart, or a change of its settings, a message may come twice, under one id.
 */
export class Channel<Event extends string = string> {
  readonly name: string;
  readonly config: ChannelConfig<Event>;
  readonly #deps: ChannelDeps;
  readonly #quiet: QuietHours | undefined;
  readonly #stop = new AbortController();
  #waiting: Message[] = [];
  #leftOut = 0;
  /** Whether what waits was held back, and is therefore told as one. */
  #isHeldBack = false;
  #sentAt: number[] = [];
  #sending: Promise<void> | undefined;
  #inHand: Envelope | undefined;
  #counts = { delivered: 0, given_up: 0 };
  #lastDeliveredAt: string | undefined;
  #lastError: { readonly at: string; readonly because: string } | undefined;

  constructor(name: string, config: ChannelConfig<Event>, deps: ChannelDeps, before?: Waiting) {
    this.name = name;
    this.config = config;
    this.#deps = deps;
    this.#quiet = readQuietHours(config.quiet_hours, config.timezone ?? undefined);
    if (before === undefined) return;
    const { messages, left_out, held_back, in_hand, sent_at } = before;
    [this.#waiting, this.#leftOut, this.#isHeldBack, this.#sentAt] = [[...messages], left_out, held_back, [...sent_at]];
    this.#inHand = in_hand && { ...in_hand, sender: deps.sender };
  }

  /** Sends what waited for the channel before this one. */
  start(): void {
    if (this.#inHand === undefined && this.#waiting.length === 0) return;
    this.#sending ??= this.#send();
  }

  /** What waits, and what the next channel of this name has to know. */
  get waiting(): Waiting {
    return {
      messages: [...this.#waiting],
      left_out: this.#leftOut,
      held_back: this.#isHeldBack,
      ...(this.#inHand === undefined ? {} : { in_hand: { id: this.#inHand.id, message: this.#inHand.message } }),
      sent_at: this.#sentAt.slice(-MOST_AN_HOUR),
    };
  }

  /** Sends a message when it may be sent. */
  tell(message: Message): void {
    if (this.#stop.signal.aborted) return;
    if (this.#waiting.length >= MOST_WAITING) this.#leftOut += 1;
    else this.#waiting.push(message);
    this.#deps.onWaiting();
    this.#sending ??= this.#send();
  }

  /** Sends a message now, once, whatever the hour. */
  async sendNow(message: Message): Promise<Outcome> {
    const outcome = await this.#try(this.#envelope(message));
    this.#note(outcome);
    return outcome;
  }

  /** Why the last message was given up; undefined once another one was delivered. */
  get trouble(): string | undefined {
    return this.#lastError?.because;
  }

  /** How the channel does, without its secret. */
  async status(): Promise<ChannelStatus<Event>> {
    const { kind, events, quiet_hours, timezone } = this.config;
    const found = await this.#secret();
    return {
      name: this.name,
      kind,
      events,
      ...(quiet_hours ? { quiet_hours } : {}),
      ...(timezone ? { timezone } : {}),
      secret: found.kind,
      ...(found.kind === "unusable" ? { secret_problem: found.because } : {}),
      ...(this.#lastDeliveredAt === undefined ? {} : { last_delivered_at: this.#lastDeliveredAt }),
      ...(this.#lastError === undefined ? {} : { last_error: this.#lastError }),
      waiting: this.#waiting.length + this.#leftOut + (this.#inHand === undefined ? 0 : 1),
      ...this.#counts,
    };
  }

  /** Ends what is in flight. What was not delivered by then is in {@link waiting}. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#sending;
  }

  async #send(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted && (this.#inHand !== undefined || this.#waiting.length > 0)) {
      if (this.#mayNotSend()) {
        this.#holdBack();
        await this.#deps.clock.sleep(LOOK_MS, signal).catch(() => undefined);
        continue;
      }
      this.#inHand ??= this.#envelope(this.#next());
      this.#sentAt.push(this.#deps.clock.now());
      this.#deps.onWaiting();
      await this.#deliver(this.#inHand);
      if (signal.aborted) break;
      this.#inHand = undefined;
      this.#deps.onWaiting();
    }
    // In the same turn as the look at what waits: a message that comes later begins anew.
    this.#sending = undefined;
  }

  #holdBack(): void {
    if (this.#isHeldBack) return;
    this.#isHeldBack = true;
    this.#deps.onWaiting();
  }

  #mayNotSend(): boolean {
    const now = this.#deps.clock.now();
    this.#sentAt = this.#sentAt.filter((at) => at > now - HOUR_MS && at <= now);
    return (
      this.#sentAt.length >= MOST_AN_HOUR ||
      this.#isGathering(now) ||
      (this.#quiet !== undefined && isQuiet(this.#quiet, now))
    );
  }

  /** Whether the first of what waits has not waited long enough for a digest. After a clock was set back it has. */
  #isGathering(now: number): boolean {
    const { digest_minutes } = this.config;
    const [first] = this.#waiting;
    if (!digest_minutes || first === undefined || this.#inHand !== undefined) return false;
    const age = now - Date.parse(first.at);
    return age >= 0 && age < digest_minutes * MINUTE_MS;
  }

  /** Takes the next message out of what waits, of which there is something. */
  #next(): Message {
    const isDigest = (this.#isHeldBack && this.#waiting.length > 1) || this.#leftOut > 0;
    this.#isHeldBack = false;
    const [first] = this.#waiting;
    if (!isDigest && first !== undefined) {
      this.#waiting.shift();
      return first;
    }
    const [messages, leftOut] = [this.#waiting, this.#leftOut];
    this.#waiting = [];
    this.#leftOut = 0;
    return digestOf(messages, leftOut, { at: this.#now(), address: this.#deps.address() });
  }

  async #deliver(envelope: Envelope): Promise<void> {
    const { clock, random, log } = this.#deps;
    const { signal } = this.#stop;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const outcome = await this.#try(envelope);
      if (signal.aborted) return;
      if (outcome.kind === "delivered" || outcome.isFinal || attempt === TRIES - 1) {
        this.#note(outcome);
        if (outcome.kind === "failed")
          log.warn({ channel: this.name, because: outcome.because }, "a notification was given up");
        return;
      }
      await clock.sleep(backoffMs(attempt, BACKOFF, random), signal).catch(() => undefined);
      if (signal.aborted) return;
    }
  }

  async #try(envelope: Envelope): Promise<Outcome> {
    const found = await this.#secret();
    if (found.kind === "unusable") return failed(found.because, true);
    const key = found.kind === "missing" ? undefined : found.secret;
    const { clock, log } = this.#deps;
    try {
      return await deliver(envelope, { ...this.config, key }, { clock, signal: this.#stop.signal });
    } catch (thrown) {
      // A bug, or a mail program that throws where it should answer. Its sentence may repeat what it was given.
      const text = key === undefined ? sentenceOf(thrown) : sentenceOf(thrown).replaceAll(key.reveal(), "[secret]");
      log.error({ channel: this.name, err: text }, "a notification could not be sent");
      return failed(`it could not be sent; the ${this.#deps.sender.kind}'s log has the reason`, true);
    }
  }

  #note(outcome: Outcome): void {
    const at = this.#now();
    if (outcome.kind === "failed") {
      this.#counts.given_up += 1;
      this.#lastError = { at, because: outcome.because };
      return;
    }
    this.#counts.delivered += 1;
    this.#lastDeliveredAt = at;
    this.#lastError = undefined;
  }

  #envelope(message: Message): Envelope {
    return { id: this.#deps.random.hex(12), message, sender: this.#deps.sender };
  }

  #secret(): Promise<FoundSecret> {
    return findSecret(this.name, this.config, this.#deps);
  }

  #now(): string {
    return new Date(this.#deps.clock.now()).toISOString();
  }
}
