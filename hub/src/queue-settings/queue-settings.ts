import {
  type CommandBatcher,
  changeSetting,
  faultsOf,
  invalidPattern,
  isBuilt,
  type Ledger,
  type PatternJudge,
  type SettingChange,
} from "@nest/dispatch";
import { NestError } from "@nest/kit";
import { governor } from "@nest/protocol";
import { tagOf } from "./revision.ts";
import { buildAll, type Compiled, compiledOf, PATTERN_KEYS, type Rules, rulesOf } from "./rules.ts";
import { announcedBy, changed, difference } from "./settings.ts";

type Settings = governor.GovernorSettings;

const SETTING = "governor";

export interface QueueSettingsDeps {
  readonly ledger: Ledger;
  /** What `nest.yaml` says: in force until an admin changed something. */
  readonly first: Settings;
  readonly judge: PatternJudge;
  /** Called when patterns of another replica's change are invalid here (a newer release wrote them); the previous ones stay. */
  readonly onInvalid?: (because: unknown) => void;
}

/**
 * The queue configuration in force. It is a setting of the ledger, so a change is one durable transaction with its audit line,
 * and the next command of the same batch already goes by it.
 */
export class QueueSettings {
  readonly #deps: QueueSettingsDeps;
  #rules: Rules;
  #compiledFrom: unknown;
  #onCompiled: () => void = () => {};

  private constructor(deps: QueueSettingsDeps, stored: unknown, rules: Rules) {
    this.#deps = deps;
    this.#compiledFrom = stored;
    this.#rules = rules;
  }

  /**
   * The configuration that a hub starts with, its regular expressions built.
   *
   * @throws NestError `invalid_pattern`.
   */
  static async open(deps: QueueSettingsDeps): Promise<QueueSettings> {
    const stored = deps.ledger.setting(SETTING);
    const settings = settingsOf(stored, deps.first);
    await buildAll(settings, deps.judge);
    return new QueueSettings(deps, stored, rulesOf(settings, compiledOf(settings, deps.judge)));
  }

  /** Calls `act` when the patterns of another replica's change are compiled and apply. */
  whenCompiled(act: () => void): void {
    this.#onCompiled = act;
  }

  get settings(): Settings {
    return this.rules.settings;
  }

  /**
   * The rules in force, compiled again only when the setting changed. A change made here applies at once. A change from another
   * replica applies at once except for patterns that are not compiled here yet; those are compiled first.
   */
  get rules(): Rules {
    const stored = this.#deps.ledger.setting(SETTING);
    if (stored === this.#compiledFrom) return this.#rules;
    this.#compiledFrom = stored;
    const settings = this.#settingsOf(stored);
    const isQuickly = PATTERN_KEYS.every((key) => isBuilt(settings[key], this.#deps.judge));
    this.#rules = rulesOf(settings, (isQuickly ? this.#compiled(settings) : undefined) ?? this.#rules);
    if (!isQuickly) void this.#compile(settings, stored);
    return this.#rules;
  }

  #compiled(settings: Settings): Compiled | undefined {
    try {
      return compiledOf(settings, this.#deps.judge);
    } catch (thrown) {
      this.#deps.onInvalid?.(thrown);
      return undefined;
    }
  }

  async #compile(settings: Settings, stored: unknown): Promise<void> {
    await buildAll(settings, this.#deps.judge);
    if (this.#compiledFrom !== stored) return;
    this.#rules = rulesOf(settings, this.#compiled(settings) ?? this.#rules);
    this.#onCompiled();
  }

  /** A tag of the configuration in force (`ETag`): equal configurations have equal tags. */
  get tag(): string {
    return tagOf(this.settings);
  }

  /** Whether a batch that changed these settings changed the configuration. */
  isChangedBy(settings: ReadonlyMap<string, unknown>): boolean {
    return settings.has(SETTING);
  }

  /**
   * Checks the whole change, then makes it in one transaction, on the configuration in force at that moment: two admins who
   * change different keys at the same time both get what they asked for. With `expected` (a tag) only while that is in force.
   *
   * @throws NestError `invalid_pattern` (nothing has changed), `configuration_changed`, `storage_unavailable`.
   */
  async change(
    change: governor.GovernorChange,
    actor: string,
    batcher: CommandBatcher,
    expected?: string,
  ): Promise<void> {
    await checkPatterns(change, this.#deps.judge);
    const { ledger } = this.#deps;
    let isStale = false;
    await changeSetting({ ledger, batcher }, { name: SETTING, actor }, (stored) => {
      isStale = expected !== undefined && tagOf(this.#settingsOf(stored)) !== expected;
      return isStale ? undefined : this.#decide(stored, change, actor);
    });
    if (isStale)
      throw new NestError("configuration_changed", "somebody changed the queue configuration since it was read", {
        hint: "read it again, and make the change on what is in force now",
      });
  }

  #decide(stored: unknown, change: governor.GovernorChange, actor: string): SettingChange | undefined {
    const before = this.#settingsOf(stored);
    const after = changed(before, change);
    const diff = difference(before, after);
    if (Object.keys(diff.after).length === 0 && stored !== undefined) return undefined;
    const activity = announcedBy(diff, actor);
    return {
      value: after,
      ...(Object.keys(diff.after).length === 0
        ? {}
        : { audit: { action: "queue configuration", subject: "contribute", ...diff } }),
      ...(activity === undefined ? {} : { activity }),
    };
  }

  #settingsOf(stored: unknown): Settings {
    return settingsOf(stored, this.#deps.first);
  }
}

function settingsOf(stored: unknown, first: Settings): Settings {
  // Keys that the stored configuration lacks (an older release wrote it) have their defaults.
  return stored === undefined ? first : { ...governor.defaultSettings, ...(stored as Settings) };
}

/** Checks every pattern of a change before any of it is stored. */
async function checkPatterns(change: governor.GovernorChange, judge: PatternJudge): Promise<void> {
  for (const key of PATTERN_KEYS) {
    const [fault] = await faultsOf(change[key] ?? [], judge);
    if (fault !== undefined) throw invalidPattern(key, fault);
  }
}
