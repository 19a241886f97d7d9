import type { ActivityEvent, governor } from "@nest/protocol";

type Settings = governor.GovernorSettings;
type Change = governor.GovernorChange;

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

/** What the feed says of an actor's change that everybody notices. */
export function announcedBy(diff: { after: Partial<Settings> }, actor: string): ActivityEvent<never> | undefined {
  const { contribute_suspended: suspended, contribute_announcement: announcement } = diff.after;
  if (suspended !== undefined)
    return { action: suspended ? "contribution suspended" : "contribution resumed", detail: actor };
  if (announcement !== undefined && announcement !== "") return { action: "announced", detail: announcement };
  return undefined;
}

function withoutAbsent<T extends object>(value: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never;
}
