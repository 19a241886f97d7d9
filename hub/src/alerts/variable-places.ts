import { createHash, timingSafeEqual } from "node:crypto";
import { type CommandBatcher, changeSetting, type Ledger, type SettingChange } from "@nest/dispatch";
import { type Clock, type Environment, NestError, variableOf } from "@nest/kit";
import { placeOf } from "@nest/notify";
import type { ChannelConfig } from "@nest/protocol";
import { z } from "zod";

/** The setting with the place of each channel whose secret is in a variable. No secret is in it. */
const SETTING = "alert-variable-places";
const Places = z.record(z.string(), z.object({ variable: z.string(), place: z.string() }));
type Places = z.infer<typeof Places>;
type Configs = Readonly<Record<string, ChannelConfig>>;

const TRIES_A_MINUTE = 5;
const MINUTE_MS = 60_000;

export interface VariablePlacesDeps {
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly environment: Environment;
  readonly clock: Clock;
}

/**
 * For which place each channel may take its secret from a variable. Whoever leads a channel somewhere need not know what is in the
 * variable, and shall not learn it by having it sent to them: it goes only where somebody who knew it said that it may.
 */
export class VariablePlaces {
  readonly #deps: VariablePlacesDeps;
  #triedAt: number[] = [];

  constructor(deps: VariablePlacesDeps) {
    this.#deps = deps;
  }

  /** Whether a channel's variable was given for the place where the channel leads. */
  isGivenFor(name: string, config: ChannelConfig): boolean {
    const given = this.#places?.[name];
    return given !== undefined && given.variable === variableIn(config) && given.place === placeOf(config);
  }

  /** Takes what channels of an earlier release lead to as what their variables were given for. Does nothing once there was a first time. */
  async begin(configs: Configs, actor: string): Promise<void> {
    if (this.#places !== undefined) return;
    const places = Object.entries(configs).flatMap(([name, config]) => {
      const variable = variableIn(config);
      return variable === undefined ? [] : [[name, { variable, place: placeOf(config) }] as const];
    });
    await this.#change(actor, (before) => (before === undefined ? { value: Object.fromEntries(places) } : undefined));
  }

  /**
   * Lets a channel take its secret from its variable, for the place where it leads now.
   *
   * @throws NestError `bad_request` for a text that is not what is in the variable, `too_many_requests`.
   */
  async give(name: string, config: ChannelConfig, text: string, actor: string): Promise<void> {
    const variable = variableIn(config) ?? "";
    this.#count();
    const value = this.#deps.environment[variable]?.trim() ?? "";
    if (value === "") throw new NestError("bad_request", `secret: the variable ${variable} is not set`);
    if (!isSameText(text.trim(), value)) {
      throw new NestError("bad_request", `secret: is not what is in the variable ${variable}`, {
        hint: "whoever runs this hub knows it",
      });
    }
    await this.#change(actor, (before = {}) => ({
      value: { ...before, [name]: { variable, place: placeOf(config) } },
      audit: { action: "alert secret", subject: name, before: null, after: "[secret]" },
    }));
  }

  get #places() {
    return placesIn(this.#deps.ledger.setting(SETTING));
  }

  #change(actor: string, change: (before: Places | undefined) => SettingChange | undefined): Promise<void> {
    return changeSetting(this.#deps, { name: SETTING, actor }, (value) => change(placesIn(value)));
  }

  #count(): void {
    const now = this.#deps.clock.now();
    this.#triedAt = this.#triedAt.filter((at) => at > now - MINUTE_MS);
    if (this.#triedAt.length >= TRIES_A_MINUTE)
      throw new NestError("too_many_requests", "too many secrets were tried in a minute", {
        hint: "try again in 60 s",
      });
    this.#triedAt.push(now);
  }
}

/** The variable that a channel takes its secret from. Pure. */
export function variableIn({ secret }: ChannelConfig): string | undefined {
  return secret ? variableOf(secret) : undefined;
}

function placesIn(value: unknown): Places | undefined {
  return value === undefined ? undefined : (Places.safeParse(value).data ?? {});
}

function isSameText(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
