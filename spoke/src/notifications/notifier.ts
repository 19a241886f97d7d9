import { NestError } from "@nest/kit";
import type { nestEvents, nestNotifications } from "@nest/protocol";
import { isSame } from "../config/leaves.ts";
import type { NestYaml } from "../config/nest-yaml.ts";
import type { ChannelConfig } from "../config/notification-schema.ts";
import { Channel, type ChannelDeps } from "./channel.ts";
import { type MessageDeps, messageOf, testMessage } from "./message.ts";
import { clearSecret, saveSecret } from "./secret-store.ts";
import { type Waiting, WaitingFile } from "./waiting.ts";

type Channels = Pick<NestYaml, "notifications">;

export type NotifierDeps = Omit<ChannelDeps, "onWaiting"> & Omit<MessageDeps, "address">;

const TESTS_A_MINUTE = 5;
const MINUTE_MS = 60_000;

/** Tells people elsewhere what happens on a nest, over the channels of its configuration. What waits outlives the program. */
export class Notifier {
  readonly #deps: NotifierDeps;
  readonly #file: WaitingFile;
  #channels: readonly Channel[] = [];
  #testedAt: number[] = [];

  private constructor(deps: NotifierDeps, file: WaitingFile) {
    this.#deps = deps;
    this.#file = file;
  }

  /** The channels of a configuration, each with what waited for it when the last program ended. */
  static async open(deps: NotifierDeps, { notifications }: Channels): Promise<Notifier> {
    const file = new WaitingFile(deps.dataFolder, deps.log);
    const notifier = new Notifier(deps, file);
    const waiting = await file.read();
    notifier.#channels = Object.entries(notifications.channels).map(([name, config]) =>
      notifier.#channelOf(name, config, waiting.get(name)),
    );
    for (const channel of notifier.#channels) channel.start();
    return notifier;
  }

  /**
   * Puts saved channels in force. One whose settings changed goes on with what waits for it; of one that is gone, that is lost, and the
   * secret that was saved for it is deleted.
   */
  async apply({ notifications }: Channels): Promise<void> {
    const before = this.#channels;
    this.#channels = Object.entries(notifications.channels).map(([name, config]) => {
      const old = before.find((channel) => channel.name === name);
      return old !== undefined && isSame(old.config, config) ? old : this.#channelOf(name, config, old?.waiting);
    });
    const ended = before.filter((channel) => !this.#channels.includes(channel));
    await Promise.all(ended.map((channel) => channel.close()));
    for (const channel of this.#channels) channel.start();
    this.#keep();
    const gone = ended.filter(({ name }) => !this.#channels.some((channel) => channel.name === name));
    await Promise.all(gone.map(({ name }) => clearSecret(name, this.#deps)));
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

  /** Ends what is in flight; what was not delivered is on disk when it returns. */
  async close(): Promise<void> {
    await Promise.all(this.#channels.map((channel) => channel.close()));
    await this.#file.settled();
  }

  #channelOf(name: string, config: ChannelConfig, before: Waiting | undefined): Channel {
    return new Channel(name, config, { ...this.#deps, onWaiting: () => this.#keep() }, before);
  }

  #keep(): void {
    this.#file.write(new Map(this.#channels.map((channel) => [channel.name, channel.waiting])));
  }

  #channel(name: string): Channel {
    const found = this.#channels.find((channel) => channel.name === name);
    if (found !== undefined) return found;
    throw new NestError("notification_channel_not_found", `there is no channel ${name.slice(0, 60)}`, {
      hint: "save the channel in the configuration first",
    });
  }
}
