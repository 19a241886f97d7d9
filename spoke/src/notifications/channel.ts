import { backoffMs, type Clock, type Log, type Random, sentenceOf } from "@nest/kit";
import type { nestNotifications } from "@nest/protocol";
import type { ChannelConfig } from "../config/notification-schema.ts";
import { deliver } from "./deliver.ts";
import { type Envelope, failed, type Outcome } from "./delivery.ts";
import { digestOf, type Message } from "./message.ts";
import { isQuiet, type QuietHours, readQuietHours } from "./quiet-hours.ts";
import { type FoundSecret, findSecret, type SecretPlace } from "./secret-store.ts";

const HOUR_MS = 3_600_000;
/** What a channel is sent in an hour; more waits, and comes as one digest. */
const MOST_AN_HOUR = 20;
/** What waits. Of more only the number is kept. */
const MOST_WAITING = 100;
const TRIES = 3;
const BACKOFF = { firstMs: 5_000, longestMs: 60_000 };
/** How often a channel looks whether it may send again. */
const LOOK_MS = 60_000;

export interface ChannelDeps extends SecretPlace {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly nestId: string;
  /** Where people open the nest, if that is known. */
  readonly address: () => string | undefined;
}

/**
 * One channel with what waits for it. Messages go out one at a time, in their order. While it is quiet, or after too many in an hour,
 * they wait; those that waited go out as one digest. A message gets three tries. What waits is in memory alone.
 */
export class Channel {
  readonly name: string;
  readonly config: ChannelConfig;
  readonly #deps: ChannelDeps;
  readonly #quiet: QuietHours | undefined;
  readonly #stop = new AbortController();
  #waiting: Message[] = [];
  #leftOut = 0;
  /** Whether what waits was held back, and is therefore told as one. */
  #isHeldBack = false;
  #sentAt: number[] = [];
  #sending: Promise<void> | undefined;
  #inHand = 0;
  #counts = { delivered: 0, given_up: 0 };
  #lastDeliveredAt: string | undefined;
  #lastError: { readonly at: string; readonly because: string } | undefined;

  constructor(name: string, config: ChannelConfig, deps: ChannelDeps) {
    this.name = name;
    this.config = config;
    this.#deps = deps;
    this.#quiet = readQuietHours(config.quiet_hours, config.timezone ?? undefined);
  }

  /** Sends a message when it may be sent. */
  tell(message: Message): void {
    if (this.#stop.signal.aborted) return;
    if (this.#waiting.length >= MOST_WAITING) this.#leftOut += 1;
    else this.#waiting.push(message);
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
  async status(): Promise<nestNotifications.NotificationChannel> {
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
      waiting: this.#waiting.length + this.#leftOut + this.#inHand,
      ...this.#counts,
    };
  }

  /** Ends what is in flight; what waits is lost. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#waiting = [];
    await this.#sending;
  }

  async #send(): Promise<void> {
    const { signal } = this.#stop;
    while (this.#waiting.length > 0 && !signal.aborted) {
      if (this.#mayNotSend()) {
        this.#isHeldBack = true;
        await this.#deps.clock.sleep(LOOK_MS, signal).catch(() => undefined);
        continue;
      }
      const message = this.#next();
      if (message === undefined) break;
      this.#sentAt.push(this.#deps.clock.now());
      this.#inHand = 1;
      await this.#deliver(message);
      this.#inHand = 0;
    }
    // In the same turn as the look at what waits: a message that comes later begins anew.
    this.#sending = undefined;
  }

  #mayNotSend(): boolean {
    const now = this.#deps.clock.now();
    this.#sentAt = this.#sentAt.filter((at) => at > now - HOUR_MS);
    return this.#sentAt.length >= MOST_AN_HOUR || (this.#quiet !== undefined && isQuiet(this.#quiet, now));
  }

  #next(): Message | undefined {
    const isDigest = (this.#isHeldBack && this.#waiting.length > 1) || this.#leftOut > 0;
    this.#isHeldBack = false;
    if (!isDigest) return this.#waiting.shift();
    const [messages, leftOut] = [this.#waiting, this.#leftOut];
    this.#waiting = [];
    this.#leftOut = 0;
    return digestOf(messages, leftOut, { at: this.#now(), address: this.#deps.address() });
  }

  async #deliver(message: Message): Promise<void> {
    const { clock, random, log } = this.#deps;
    const { signal } = this.#stop;
    const envelope = this.#envelope(message);
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
      return failed("it could not be sent; the nest's log has the reason", true);
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
    return { id: this.#deps.random.hex(12), message, nestId: this.#deps.nestId };
  }

  #secret(): Promise<FoundSecret> {
    return findSecret(this.name, this.config, this.#deps);
  }

  #now(): string {
    return new Date(this.#deps.clock.now()).toISOString();
  }
}
