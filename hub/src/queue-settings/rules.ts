import {
  compileFilters,
  compileList,
  type DeciderPolicy,
  type Filter,
  faultsOf,
  type PatternJudge,
} from "@nest/dispatch";
import type { Durations, governor, Tier } from "@nest/protocol";
import { ModelPolicy } from "./model-policy.ts";

/** The settings in the form that each part of the hub uses. */
export interface Rules {
  readonly settings: governor.GovernorSettings;
  readonly decider: DeciderPolicy;
  readonly models: ModelPolicy;
  readonly filter: Filter;
}

/** The compiled patterns of the settings. */
export type Compiled = Pick<Rules, "models" | "filter">;

/** The keys whose values are patterns. */
export const PATTERN_KEYS = [
  "contribute_deny_labels",
  "contribute_allow_labels",
  "contribute_deny_titles",
  "contribute_deny_authors",
  "contribute_allow_models",
] as const;

/** Has all regular expressions of settings built; what is wrong with them is told when they are compiled. */
export async function buildAll(settings: governor.GovernorSettings, judge: PatternJudge): Promise<void> {
  for (const key of PATTERN_KEYS) await faultsOf(settings[key], judge);
}

/**
 * Compiles the patterns of settings.
 *
 * @throws NestError `invalid_pattern`.
 */
export function compiledOf(settings: governor.GovernorSettings, judge: PatternJudge): Compiled {
  return {
    models: new ModelPolicy(
      compileList("contribute_allow_models", settings.contribute_allow_models, judge),
      settings.contribute_reject_unknown_models,
    ),
    filter: compileFilters(settings, judge),
  };
}

/** Makes rules of settings and compiled patterns; while new patterns are compiled, those are of the settings before. */
export function rulesOf(settings: governor.GovernorSettings, compiled: Compiled): Rules {
  return {
    settings,
    decider: {
      suspended: settings.contribute_suspended,
      disabledTiers: new Set<Tier>(settings.disabled_tiers),
      limits: settings.tier_limits,
      promotion: { contributorAt: settings.contribute_contributor_at, trustedAt: settings.contribute_trusted_at },
    },
    models: compiled.models,
    filter: compiled.filter,
  };
}

const HOUR_MS = 3_600_000;

/** The durations in force: those an admin can change are read from the settings at each use. */
export function liveTimes(fixed: Durations, scale: number, settings: () => governor.GovernorSettings): Durations {
  return {
    ...fixed,
    get verifiedHoldMs() {
      const { contribute_cooldown_enabled: enabled, contribute_cooldown_hours: hours } = settings();
      // Switched off, an issue still waits as long as after a drop: its pull request must have been read by then.
      return enabled ? Math.max(1, Math.round((hours * HOUR_MS) / scale)) : fixed.dropHoldMs;
    },
  };
}
