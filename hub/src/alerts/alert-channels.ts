import { createHash } from "node:crypto";
import { type CommandBatcher, changeSetting, type Ledger } from "@nest/dispatch";
import { type Clock, type Environment, type Log, NestError, type Random } from "@nest/kit";
import { Channels, type Message, type OneOfSeveral, placeOf } from "@nest/notify";
import { alerts, ChannelName, type HubAlertKind } from "@nest/protocol";
import { z } from "zod";
import { VariablePlaces, variableIn } from "./variable-places.ts";

/** The setting with the channels. Their secrets are files, in no database and no audit. */
const CHANNELS_SETTING = "alert-channels";
const MOST_CHANNELS = 20;

const Configs = z.record(ChannelName, alerts.AlertChannelConfig);
type Configs = z.infer<typeof Configs>;

export interface AlertChannelsDeps {
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly hubId: string;
  readonly dataFolder: string;
  readonly environment: Environment;
  readonly address: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Which replica this is, where there may be several. */
  readonly oneOf: OneOfSeveral | undefined;
}

/** The channels over which a hub tells its alerts: their settings in the ledger, their secrets and what waits in the data folder. */
export class AlertChannels {
  readonly #deps: AlertChannelsDeps;
  readonly #channels: Channels<HubAlertKind>;
  readonly #variables: VariablePlaces;

  private constructor(deps: AlertChannelsDeps, channels: Channels<HubAlertKind>, variables: VariablePlaces) {
    this.#deps = deps;
    this.#channels = channels;
    this.#variables = variables;
  }

  static async open(deps: AlertChannelsDeps): Promise<AlertChannels> {
    const configs = configsIn(deps.ledger.setting(CHANNELS_SETTING));
    const variables = new VariablePlaces(deps);
    if (Object.values(configs).some((config) => variableIn(config) !== undefined))
      await variables.begin(configs, "hub");
    const channels = await Channels.open(
      {
        ...deps,
        sender: { kind: "hub", id: deps.hubId },
        address: () => deps.address,
        mayUseVariable: (name, config) => variables.isGivenFor(name, config),
      },
      configs,
    );
    return new AlertChannels(deps, channels, variables);
  }

  /** Puts what the ledger has in force; call it when settings changed, here or at another replica. */
  async apply(): Promise<void> {
    await this.#channels.apply(this.#configs);
  }

  /** Whether a change of these settings concerns the channels. */
  concerns(settings: Iterable<string>): boolean {
    return [...settings].includes(CHANNELS_SETTING);
  }

  tell(message: Message<HubAlertKind>): void {
    this.#channels.tell(message);
  }

  async status(): Promise<alerts.AlertChannel[]> {
    const configs = this.#configs;
    return (await this.#channels.status()).flatMap((channel) => {
      const config = configs[channel.name];
      return config === undefined ? [] : [{ ...channel, config, place: placeOf(config), revision: revisionOf(config) }];
    });
  }

  /** Goes on with what waited at replicas that are gone. */
  takeOver(): Promise<void> {
    return this.#channels.takeOver();
  }

  /**
   * Adds or changes a channel, and returns the digest of the place where it leads. A secret that was saved for another place is removed;
   * where it stays, at a replica with a data folder of its own, it is not used: it is bound to its place. With `revision` only while
   * the channel is in that state.
   *
   * @throws NestError `bad_request` for a name that is none, `alert_channel_changed`, `conflict` when there are too many.
   */
  async save(name: string, config: alerts.AlertChannelConfig, actor: string, revision?: string): Promise<string> {
    if (!ChannelName.safeParse(name).success)
      throw new NestError("bad_request", "name: has letters, digits, - and _, at most 50");
    const before = this.#configs[name];
    const place = placeOf(config);
    await this.#variables.begin(this.#configs, actor);
    await this.#change(name, config, actor, revision);
    if (before !== undefined && placeOf(before) !== place) await this.#channels.clearSecret(name);
    return place;
  }

  /** @throws NestError `notification_channel_not_found`. */
  async remove(name: string, actor: string): Promise<void> {
    await this.#channels.clearSecret(name);
    await this.#change(name, undefined, actor);
  }

  /**
   * Where the channel takes its secret from a variable, the secret is compared with that, and the channel may use it for where it leads now.
   *
   * @throws NestError as {@link Channels.setSecret} and {@link VariablePlaces.give}.
   */
  async setSecret(
    name: string,
    { secret, place }: { readonly secret: string; readonly place?: string | undefined },
    actor: string,
  ): Promise<void> {
    const config = this.#configs[name];
    if (config !== undefined && variableIn(config) !== undefined) {
      this.#channels.checkPlace(name, place);
      return this.#variables.give(name, config, secret, actor);
    }
    await this.#channels.setSecret(name, secret, place);
    await this.#audit(name, "[secret]", actor);
  }

  /** @throws NestError `notification_channel_not_found`. */
  async clearSecret(name: string, actor: string): Promise<void> {
    await this.#channels.clearSecret(name);
    await this.#audit(name, null, actor);
  }

  /** @throws NestError as {@link Channels.test}. */
  test(name: string) {
    return this.#channels.test(name);
  }

  close(): Promise<void> {
    return this.#channels.close();
  }

  get #configs(): Configs {
    return configsIn(this.#deps.ledger.setting(CHANNELS_SETTING));
  }

  async #change(
    name: string,
    config: alerts.AlertChannelConfig | undefined,
    actor: string,
    revision?: string,
  ): Promise<void> {
    let isStale = false;
    await changeSetting(this.#deps, { name: CHANNELS_SETTING, actor }, (value) => {
      const { [name]: before, ...others } = configsIn(value);
      isStale = revision !== undefined && revision !== revisionOf(before);
      if (isStale) return undefined;
      if (config !== undefined && Object.keys(others).length >= MOST_CHANNELS)
        throw new NestError("conflict", `there are ${MOST_CHANNELS} channels already`);
      return {
        value: config === undefined ? others : { ...others, [name]: config },
        audit: { action: "alert channel", subject: name, before: before ?? null, after: config ?? null },
      };
    });
    if (isStale) {
      throw new NestError("alert_channel_changed", `somebody saved the channel ${name} since it was read`, {
        hint: "read it again, and make the change on that; the audit says who it was",
      });
    }
    await this.apply();
  }

  async #audit(name: string, after: "[secret]" | null, actor: string): Promise<void> {
    const event = { action: "alert secret", subject: name, before: null, after } as const;
    await this.#deps.batcher.ask({ kind: "audit", actor, event });
  }
}

/** A digest of a channel's state; `new` where there is none. Equal states have equal ones. */
function revisionOf(config: alerts.AlertChannelConfig | undefined): string {
  return config === undefined ? "new" : createHash("sha256").update(JSON.stringify(config)).digest("hex");
}

function configsIn(value: unknown): Configs {
  return Configs.safeParse(value ?? {}).data ?? {};
}
