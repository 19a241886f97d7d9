import {
  anchoringOf,
  type CommandBatcher,
  compilePattern,
  type Effect,
  invalidPattern,
  isQuick,
  LARGEST_LIST,
  type Ledger,
  MOST_PATTERNS,
  type SettingChange,
} from "@nest/dispatch";
import { NestError, TimeSlicer } from "@nest/kit";
import type { governor } from "@nest/protocol";
import { tagOf } from "./revision.ts";
import { type Compiled, compiledOf, type Rules, rulesOf } from "./rules.ts";
import { announcedBy, changed, defaultSettings, difference } from "./settings.ts";

type Settings = governor.GovernorSettings;

const SETTING = "governor";

export interface QueueSettingsDeps {
  readonly ledger: Ledger;
  /** What `nest.yaml` says: in force until an admin changed something. */
  readonly first: Settings;
  /** Told why the patterns of another replica's change are none here (a newer release wrote them): those before stay in force. */
  readonly onInvalid?: (because: unknown) => void;
}

/** The keys whose values are patterns. */
const PATTERN_KEYS = [
  "contribute_deny_labels",
  "contribute_allow_labels",
  "contribute_deny_titles",
  "contribute_deny_authors",
  "contribute_allow_models",
] as const;

/**
 * The queue configuration in force. It is a setting of the ledger, so a change is one durable transaction with its audit line,
 * and the next command of the same batch already goes by it.
 */
export class QueueSettings {
  readonly #deps: QueueSettingsDeps;
  #rules: Rules;
  #compiledFrom: unknown;
  #onCompiled: () => void = () => {};

  constructor(deps: QueueSettingsDeps) {
    this.#deps = deps;
    this.#compiledFrom = deps.ledger.setting(SETTING);
    const settings = this.#settingsOf(this.#compiledFrom);
    this.#rules = rulesOf(settings, compiledOf(settings));
  }

  /** `act` is called when the patterns of another replica's change are compiled, and in force from then on. */
  whenCompiled(act: () => void): void {
    this.#onCompiled = act;
  }

  get settings(): Settings {
    return this.rules.settings;
  }

  /**
   * The rules that the ledger's settings come to; compiled again only when those have changed. A change that was checked here is
   * in force whole at once. Of another replica's, everything but the filters and the models is, where there are patterns that were
   * never compiled here; those follow when they are, which takes turns with everybody else.
   */
  get rules(): Rules {
    const stored = this.#deps.ledger.setting(SETTING);
    if (stored === this.#compiledFrom) return this.#rules;
    this.#compiledFrom = stored;
    const settings = this.#settingsOf(stored);
    const isQuickly = PATTERN_KEYS.every((key) => settings[key].every(isQuick));
    this.#rules = rulesOf(settings, (isQuickly ? this.#compiled(settings) : undefined) ?? this.#rules);
    if (!isQuickly) void this.#compile(settings, stored);
    return this.#rules;
  }

  #compiled(settings: Settings): Compiled | undefined {
    try {
      return compiledOf(settings);
    } catch (thrown) {
      this.#deps.onInvalid?.(thrown);
      return undefined;
    }
  }

  async #compile(settings: Settings, stored: unknown): Promise<void> {
    const breath = new TimeSlicer();
    for (const key of PATTERN_KEYS) {
      for (const pattern of settings[key]) {
        compilePattern(pattern, anchoringOf(key));
        await breath.pause();
      }
    }
    if (this.#compiledFrom !== stored) return;
    this.#rules = rulesOf(settings, this.#compiled(settings) ?? this.#rules);
    this.#onCompiled();
  }

  /** Names the configuration in force, to change it only while nobody else has. */
  get tag(): string {
    return tagOf(this.settings);
  }

  /** Whether these are the names of settings that hold the configuration. */
  isChangedBy(settings: ReadonlyMap<string, unknown>): boolean {
    return settings.has(SETTING);
  }

  /**
   * Changes the configuration: checked whole, then one transaction. Made on what is in force at that moment, so that two
   * admins who change different keys at once both get what they asked for; with `expected` only while that is in force.
   *
   * @throws NestError `invalid_pattern` (nothing has changed), `configuration_changed`, `conflict`, `storage_unavailable`.
   */
  async change(
    change: governor.GovernorChange,
    actor: string,
    batcher: CommandBatcher,
    expected?: string,
  ): Promise<void> {
    await checkPatterns(change);
    let isStale = false;
    const effects = await batcher.ask({
      kind: "setting",
      name: SETTING,
      actor,
      change: (stored) => {
        isStale = expected !== undefined && tagOf(this.#settingsOf(stored)) !== expected;
        return isStale ? { kind: "refused", because: "" } : this.#decide(stored, change);
      },
    });
    if (isStale)
      throw new NestError("configuration_changed", "somebody changed the queue configuration since it was read", {
        hint: "read it again, and make the change on what is in force now",
      });
    const refused = effects.find((effect): effect is Extract<Effect, { kind: "refused" }> => effect.kind === "refused");
    if (refused !== undefined) throw new NestError("conflict", refused.because);
  }

  #decide(stored: unknown, change: governor.GovernorChange): SettingChange {
    const before = this.#settingsOf(stored);
    const after = changed(before, change);
    const diff = difference(before, after);
    if (Object.keys(diff.after).length === 0 && stored !== undefined) return { kind: "unchanged" };
    const activity = announcedBy(diff);
    return {
      kind: "set",
      value: after,
      ...(Object.keys(diff.after).length === 0
        ? {}
        : { audit: { action: "queue configuration", subject: "contribute", ...diff } }),
      ...(activity === undefined ? {} : { activity }),
    };
  }

  #settingsOf(stored: unknown): Settings {
    // A release that knows more keys than the one that wrote them starts those with their defaults.
    return stored === undefined ? this.#deps.first : { ...defaultSettings, ...(stored as Settings) };
  }
}

/** Checks every pattern of a change before anything of it holds, taking a breath between them. */
async function checkPatterns(change: governor.GovernorChange): Promise<void> {
  const breath = new TimeSlicer();
  for (const key of PATTERN_KEYS) {
    const patterns = change[key] ?? [];
    if (patterns.length > MOST_PATTERNS)
      throw new NestError("invalid_pattern", `${key}: more than ${MOST_PATTERNS} patterns`);
    let cost = 0;
    for (const [at, pattern] of patterns.entries()) {
      const result = compilePattern(pattern, anchoringOf(key));
      if (result.kind === "invalid") throw invalidPattern(key, at, result.because);
      cost += result.pattern.cost;
      if (cost > LARGEST_LIST) throw invalidPattern(key, at, "with those before it too costly to match");
      await breath.pause();
    }
  }
}
