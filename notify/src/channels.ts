import { isDeepStrictEqual } from "node:util";
import { NestError } from "@nest/kit";
import type { ChannelConfig } from "@nest/protocol";
import { Channel, type ChannelDeps, type ChannelStatus } from "./channel.ts";
import { type Message, testMessage } from "./message.ts";
import { bindSecret, clearSecret, placeOf, saveSecret } from "./secret-store.ts";
import { type AllWaiting, isNothing, mergedWaiting, type OneOfSeveral, type Waiting, WaitingFile } from "./waiting.ts";

export interface ChannelsDeps extends Omit<ChannelDeps, "onWaiting"> {
  /** Where several programs with the same channels may share the data folder: which of them this one is. */
  readonly oneOf?: OneOfSeveral | undefined;
}
type Configs<Event extends string> = Readonly<Record<string, ChannelConfig<Event>>>;

const TESTS_A_MINUTE = 5;
const MINUTE_MS = 60_000;

/** Tells people elsewhere what happens, over the channels of a configuration. What waits outlives the program. */
export class Channels<Event extends string> {
  readonly #deps: ChannelsDeps;
  readonly #file: WaitingFile;
  #channels: readonly Channel<Event>[] = [];
  #testedAt: number[] = [];

  private constructor(deps: ChannelsDeps, file: WaitingFile) {
    this.#deps = deps;
    this.#file = file;
  }

  /** The channels of a configuration, each with what waited for it when the last program ended. */
  static async open<Event extends string>(deps: ChannelsDeps, configs: Configs<Event>): Promise<Channels<Event>> {
    const file = new WaitingFile(deps.dataFolder, deps.log, deps.oneOf);
    await Promise.all(Object.entries(configs).map(([name, config]) => bindSecret(name, config, deps)));
    const channels = new Channels<Event>(deps, file);
    const waiting = await file.read();
    channels.#channels = Object.entries(configs).map(([name, config]) =>
      channels.#channelOf(name, config, waiting.get(name)),
    );
    for (const channel of channels.#channels) channel.start();
    return channels;
  }

  /**
   * Puts saved channels in force. One whose settings changed goes on with what waits for it; of one that is gone, that is lost, and the
   * secret that was saved for it is deleted.
   */
  async apply(configs: Configs<Event>): Promise<void> {
    const before = this.#channels;
    this.#channels = Object.entries(configs).map(([name, config]) => {
      const old = before.find((channel) => channel.name === name);
      return old !== undefined && isDeepStrictEqual(old.config, config)
        ? old
        : this.#channelOf(name, config, old?.waiting);
    });
    const ended = before.filter((channel) => !this.#channels.includes(channel));
    await Promise.all(ended.map((channel) => channel.close()));
    for (const channel of this.#channels) channel.start();
    this.#keep();
    const gone = ended.filter(({ name }) => !this.#channels.some((channel) => channel.name === name));
    await Promise.all(gone.map(({ name }) => clearSecret(name, this.#deps)));
  }

  /** Goes on with what waited in the channels of programs that are gone ({@link OneOfSeveral}). */
  async takeOver(): Promise<void> {
    const { waiting, done } = await this.#file.takeOver();
    for (const all of waiting) await this.#goOnWith(all);
    await done();
  }

  async #goOnWith(left: AllWaiting): Promise<void> {
    const before = this.#channels;
    this.#channels = before.map((channel) => {
      const other = left.get(channel.name);
      if (other === undefined || isNothing(other)) return channel;
      return this.#channelOf(channel.name, channel.config, mergedWaiting(channel.waiting, other));
    });
    const ended = before.filter((channel) => !this.#channels.includes(channel));
    if (ended.length === 0) return;
    await Promise.all(ended.map((channel) => channel.close()));
    for (const channel of this.#channels) channel.start();
    this.#keep();
  }

  /** Tells a message to every channel that wants to know of its event. */
  tell(message: Message<Event>): void {
    const { event } = message;
    if (event === "digest" || event === "test") return;
    for (const channel of this.#channels) if (channel.config.events.some((one) => one === event)) channel.tell(message);
  }

  /** The channels that failed last, each with the reason. */
  get trouble(): readonly string[] {
    return this.#channels.flatMap(({ name, trouble }) => (trouble === undefined ? [] : [`${name}: ${trouble}`]));
  }

  async status(): Promise<ChannelStatus<Event>[]> {
    return Promise.all(this.#channels.map((channel) => channel.status()));
  }

  /**
   * Saves a channel's secret for the place where the channel leads now; `place` is the digest of the one that it was given for, where
   * that is known.
   *
   * @throws NestError `notification_channel_not_found`, `bad_request`, `conflict` where the configuration names a variable, or the channel
   * leads to another place.
   */
  async setSecret(name: string, secret: string, place?: string): Promise<ChannelStatus<Event>> {
    const channel = this.#channel(name);
    this.checkPlace(name, place);
    await saveSecret(name, channel.config, secret, this.#deps);
    return channel.status();
  }

  /**
   * Looks whether a channel still leads to the place that a secret was given for, where that is known.
   *
   * @throws NestError `notification_channel_not_found`, `conflict`.
   */
  checkPlace(name: string, place: string | undefined): void {
    if (place === undefined || place === placeOf(this.#channel(name).config)) return;
    throw new NestError("conflict", `${name} leads elsewhere now than where this secret was given for`, {
      hint: "look where it leads; nothing was saved",
    });
  }

  /** @throws NestError `notification_channel_not_found`. */
  async clearSecret(name: string): Promise<ChannelStatus<Event>> {
    const channel = this.#channel(name);
    await clearSecret(name, this.#deps);
    return channel.status();
  }

  /** Sends a test message now. @throws NestError `notification_channel_not_found`, `too_many_requests`. */
  async test(name: string): Promise<{ delivered: boolean; because?: string; took_ms: number }> {
    const channel = this.#channel(name);
    const { clock, sender, address } = this.#deps;
    const began = clock.now();
    this.#testedAt = this.#testedAt.filter((at) => at > began - MINUTE_MS);
    if (this.#testedAt.length >= TESTS_A_MINUTE) {
      throw new NestError("too_many_requests", "too many test messages in a minute", { hint: "try again in 60 s" });
    }
    this.#testedAt.push(began);
    const at = new Date(began).toISOString();
    const outcome = await channel.sendNow(testMessage(name, at, { kind: sender.kind, address: address() }));
    const took_ms = clock.now() - began;
    return outcome.kind === "delivered"
      ? { delivered: true, took_ms }
      : { delivered: false, because: outcome.because, took_ms };
  }

  /** Ends what is in flight; what was not delivered is on disk when it returns. */
  async close(): Promise<void> {
    await Promise.all(this.#channels.map((channel) => channel.close()));
    await this.#file.settled();
  }

  #channelOf(name: string, config: ChannelConfig<Event>, before: Waiting | undefined): Channel<Event> {
    return new Channel(name, config, { ...this.#deps, onWaiting: () => this.#keep() }, before);
  }

  #keep(): void {
    this.#file.write(new Map(this.#channels.map((channel) => [channel.name, channel.waiting])));
  }

  #channel(name: string): Channel<Event> {
    const found = this.#channels.find((channel) => channel.name === name);
    if (found !== undefined) return found;
    throw new NestError("notification_channel_not_found", `there is no channel ${name.slice(0, 60)}`, {
      hint: "save the channel in the configuration first",
    });
  }
}
