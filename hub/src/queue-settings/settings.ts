import { type ActivityEvent, defaultTierLimits, type governor } from "@nest/protocol";

type Settings = governor.GovernorSettings;
type Change = governor.GovernorChange;

/** The defaults, for keys that neither `nest.yaml` nor an admin set. */
export const defaultSettings: Settings = {
  contribute_suspended: false,
  disabled_repos: [],
  contribute_labels_mode: "deny",
  contribute_deny_labels: [],
  contribute_allow_labels: [],
  contribute_titles_mode: "deny",
  contribute_deny_titles: ["*dependency dashboard*", "*renovate dashboard*", "epic:*", "epic(*"],
  contribute_authors_mode: "deny",
  contribute_deny_authors: ["renovate[bot]", "dependabot[bot]", "mergeraptor[bot]"],
  contribute_skip_assigned_to_others: false,
  contribute_skip_trackers: true,
  contribute_allow_models: [],
  contribute_reject_unknown_models: false,
  disabled_tiers: [],
  tier_limits: { ...defaultTierLimits },
  contribute_contributor_at: 5,
  contribute_trusted_at: 20,
  open_registration: false,
  contribute_announcement: "",
  contribute_cooldown_enabled: true,
  contribute_cooldown_hours: 168,
  contribute_claim_stale_hours: 72,
  contribute_delegatable_roles: ["scanner", "quality", "outreach"],
};

/**
 * The settings after a change: absent keys stay, lists are replaced whole, `tier_limits` merges per tier and field. The legacy
 * `contribute_allow_labels` moves once into the list with mode allow, where no label filter is set yet, and is empty from then
 * on (spec: Queue configuration).
 */
export function changed(before: Settings, change: Change): Settings {
  const { tier_limits: limits, contribute_allow_labels: legacy = [], ...rest } = withoutAbsent(change);
  const after: Settings = { ...before, ...rest, contribute_allow_labels: [], tier_limits: { ...before.tier_limits } };
  for (const [tier, fields] of Object.entries(limits ?? {}) as [keyof Settings["tier_limits"], object | undefined][]) {
    after.tier_limits[tier] = { ...after.tier_limits[tier], ...withoutAbsent(fields ?? {}) };
  }
  const unset = after.contribute_labels_mode === "deny" && after.contribute_deny_labels.length === 0;
  return legacy.length > 0 && unset
    ? { ...after, contribute_labels_mode: "allow", contribute_deny_labels: legacy }
    : after;
}

/** The keys in which two settings differ, with the values of either side: what the audit keeps. */
export function difference(before: Settings, after: Settings): { before: Partial<Settings>; after: Partial<Settings> } {
  const keys = (Object.keys(after) as (keyof Settings)[]).filter(
    (key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  );
  const pick = (from: Settings) => Object.fromEntries(keys.map((key) => [key, from[key]])) as Partial<Settings>;
  return { before: pick(before), after: pick(after) };
}

/** What the feed says of a change that everybody notices. */
export function announcedBy(diff: { after: Partial<Settings> }): ActivityEvent<never> | undefined {
  const { contribute_suspended: suspended, contribute_announcement: announcement } = diff.after;
  if (suspended !== undefined) return { action: suspended ? "contribution suspended" : "contribution resumed" };
  if (announcement !== undefined && announcement !== "") return { action: "announced", detail: announcement };
  return undefined;
}

function withoutAbsent<T extends object>(value: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}
