/** What the governor goes by where the configuration says nothing: its keys under `governor`, with their values. */
export const GOVERNOR_DEFAULTS = {
  eval_interval_s: 300,
  labels: {
    /** Labels that say that an issue waits for people. */
    hold: ["hold", "on-hold", "on hold", "review", "needs-review"],
    /** Labels that keep agents away from an issue. */
    exempt: ["do-not-merge", "no-agents", "agents:exempt"],
    /** The label of pull requests that wait for a person. */
    hold_pull_requests: "hold",
  },
  /** Programs that keep issues of their own, and what they call them. */
  deny_authors: ["renovate*", "dependabot*", "mergeraptor*"],
  deny_titles: ["dependency dashboard", "renovate dashboard"],
  recordings: { days: 14, megabytes: 1024 },
} as const;

/** A list, or its default: one without entries says nothing. */
export function orDefault(list: readonly string[], byDefault: readonly string[]): readonly string[] {
  return list.length === 0 ? byDefault : list;
}
