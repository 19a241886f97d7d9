import { Channels, type ChannelsDeps } from "@nest/notify";
import type { NotificationEvent, nestEvents, nestNotifications } from "@nest/protocol";
import type { NestYaml } from "../config/nest-yaml.ts";
import { type MessageDeps, messageOf } from "./message.ts";

type Configured = Pick<NestYaml, "notifications">;

export type NotifierDeps = Omit<ChannelsDeps, "sender"> & { readonly nestId: string } & Omit<MessageDeps, "address">;

/** Tells people elsewhere what happens on a nest, over the channels of its configuration. What waits outlives the program. */
export class Notifier {
  readonly #deps: NotifierDeps;
  readonly #channels: Channels<NotificationEvent>;

  private constructor(deps: NotifierDeps, channels: Channels<NotificationEvent>) {
    this.#deps = deps;
    this.#channels = channels;
  }

  /** The channels of a configuration, each with what waited for it when the last program ended. */
  static async open(deps: NotifierDeps, { notifications }: Configured): Promise<Notifier> {
    const sender = { kind: "nest", id: deps.nestId } as const;
    return new Notifier(deps, await Channels.open({ ...deps, sender }, notifications.channels));
  }

  /** Puts saved channels in force: see {@link Channels.apply}. */
  apply({ notifications }: Configured): Promise<void> {
    return this.#channels.apply(notifications.channels);
  }

  /** Tells every channel that wants to know of a line of the activity. */
  tell(line: nestEvents.NestActivity): void {
    const message = messageOf(line, { ...this.#deps, address: this.#deps.address() });
    if (message !== undefined) this.#channels.tell(message);
  }

  /** The channels that failed last, each with the reason. */
  get trouble(): readonly string[] {
    return this.#channels.trouble;
  }

  status(): Promise<nestNotifications.NotificationChannel[]> {
    return this.#channels.status();
  }

  /** @throws NestError as {@link Channels.setSecret}. */
  setSecret(name: string, secret: string): Promise<nestNotifications.NotificationChannel> {
    return this.#channels.setSecret(name, secret);
  }

  /** @throws NestError as {@link Channels.clearSecret}. */
  clearSecret(name: string): Promise<nestNotifications.NotificationChannel> {
    return this.#channels.clearSecret(name);
  }

  /** Sends a test message now. @throws NestError as {@link Channels.test}. */
  test(name: string): Promise<{ delivered: boolean; because?: string; took_ms: number }> {
    return this.#channels.test(name);
  }

  /** Ends what is in flight; what was not delivered is on disk when it returns. */
  close(): Promise<void> {
    return this.#channels.close();
  }
}
