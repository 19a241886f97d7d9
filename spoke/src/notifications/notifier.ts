import { NestError } from "@nest/kit";
import type { nestEvents, nestNotifications } from "@nest/protocol";
import { isSame } from "../config/leaves.ts";
import type { NestYaml } from "../config/nest-yaml.ts";
import { Channel, type ChannelDeps } from "./channel.ts";
import { type MessageDeps, messageOf, testMessage } from "./message.ts";
import { clearSecret, saveSecret } from "./secret-store.ts";

export type NotifierDeps = ChannelDeps & Omit<MessageDeps, "address">;

const TESTS_A_MINUTE = 5;
const MINUTE_MS = 60_000;

/** Tells people elsewhere what happens on a nest, over the channels of its configuration. */
export class Notifier {
  readonly #deps: NotifierDeps;
  #channels: readonly Channel[] = [];
  #testedAt: number[] = [];

  constructor(deps: NotifierDeps, config: NestYaml) {
    this.#deps = deps;
    this.apply(config);
  }

  /** Puts saved channels in force. One that did not change keeps what waits for it; of one that is gone, that is lost. */
  apply({ notifications }: Pick<NestYaml, "notifications">): void {
    const before = this.#channels;
    this.#channels = Object.entries(notifications.channels).map(([name, config]) => {
      const same = before.find((channel) => channel.name === name && isSame(channel.config, config));
      return same ?? new Channel(name, config, this.#deps);
    });
    for (const channel of before) if (!this.#channels.includes(channel)) void channel.close();
  }

  /** Tells every channel that wants to know of a line of the activity. */
  tell(line: nestEvents.NestActivity): void {
    const message = messageOf(line, { ...this.#deps, address: this.#deps.address() });
    if (message === undefined || message.event === "digest" || message.event === "test") return;
    for (const channel of this.#channels) if (channel.config.events.includes(message.event)) channel.tell(message);
  }

  /** The channels that failed last, each with the reason. */
  get trouble(): readonly string[] {
    return this.#channels.flatMap(({ name, trouble }) => (trouble === undefined ? [] : [`${name}: ${trouble}`]));
  }

  async status(): Promise<nestNotifications.NotificationChannel[]> {
    return Promise.all(this.#channels.map((channel) => channel.status()));
  }

  /** @throws NestError `notification_channel_not_found`, `bad_request`, `conflict` where the configuration names a variable. */
  async setSecret(name: string, secret: string): Promise<nestNotifications.NotificationChannel> {
    const channel = this.#channel(name);
    await saveSecret(name, channel.config, secret, this.#deps);
    return channel.status();
  }

  /** @throws NestError `notification_channel_not_found`. */
  async clearSecret(name: string): Promise<nestNotifications.NotificationChannel> {
    const channel = this.#channel(name);
    await clearSecret(name, this.#deps);
    return channel.status();
  }

  /** Sends a test message now. @throws NestError `notification_channel_not_found`, `too_many_requests`. */
  async test(name: string): Promise<{ delivered: boolean; because?: string; took_ms: number }> {
    const channel = this.#channel(name);
    const began = this.#deps.clock.now();
    this.#testedAt = this.#testedAt.filter((at) => at > began - MINUTE_MS);
    if (this.#testedAt.length >= TESTS_A_MINUTE) {
      throw new NestError("too_many_requests", "too many test messages in a minute", { hint: "try again in 60 s" });
    }
    this.#testedAt.push(began);
    const outcome = await channel.sendNow(testMessage(name, new Date(began).toISOString(), this.#deps.address()));
    const took_ms = this.#deps.clock.now() - began;
    return outcome.kind === "delivered"
      ? { delivered: true, took_ms }
      : { delivered: false, because: outcome.because, took_ms };
  }

  /** Ends what is in flight. */
  async close(): Promise<void> {
    await Promise.all(this.#channels.map((channel) => channel.close()));
  }

  #channel(name: string): Channel {
    const found = this.#channels.find((channel) => channel.name === name);
    if (found !== undefined) return found;
    throw new NestError("notification_channel_not_found", `there is no channel ${name.slice(0, 60)}`, {
      hint: "save the channel in the configuration first",
    });
  }
}
