/**
 * A change that somebody makes to stored values while others may change them too. What was changed here stays, what others
 * changed is taken over, and what both changed to different values is a conflict: it keeps the value of here until somebody has
 * chosen, and nothing can be saved before that.
 */
export interface Draft<Values extends object> {
  /** What is in force, as last read. */
  readonly base: Values;
  /** Names the state that `base` is; sent with the save, so that the server can refuse it once there is another. */
  readonly revision: string | undefined;
  readonly values: Values;
  /** Keys that were changed here and, to another value, by somebody else. */
  readonly conflicts: readonly (keyof Values)[];
  /** Keys that somebody else changed and that were not touched here. */
  readonly taken: readonly (keyof Values)[];
}

export function beginDraft<Values extends object>(base: Values, revision: string | undefined): Draft<Values> {
  return { base, revision, values: base, conflicts: [], taken: [] };
}

/** Whether two values are the same, however they came about. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The keys in which a draft differs from what is in force. */
export function changedKeys<Values extends object>({ base, values }: Draft<Values>): (keyof Values)[] {
  return keysOf(base).filter((key) => !isSame(base[key], values[key]));
}

/** What to put so that the draft holds: the changed keys alone, so that nobody's other changes are touched. */
export function changeOf<Values extends object>(draft: Draft<Values>): Partial<Values> {
  return Object.fromEntries(changedKeys(draft).map((key) => [key, draft.values[key]])) as Partial<Values>;
}

/** The draft with values changed here; a conflict is over where both want the same now. */
export function edit<Values extends object>(draft: Draft<Values>, part: Partial<Values>): Draft<Values> {
  return withoutSettled({ ...draft, values: { ...draft.values, ...part } });
}

/** The draft on what is in force now. Conflicts that nobody has settled yet stay conflicts. */
export function receive<Values extends object>(
  draft: Draft<Values>,
  now: Values,
  revision: string | undefined,
): Draft<Values> {
  const mine = new Set(changedKeys(draft));
  for (const key of draft.conflicts) mine.add(key);
  const theirs = keysOf(now).filter((key) => !isSame(draft.base[key], now[key]));
  const kept = Object.fromEntries([...mine].map((key) => [key, draft.values[key]])) as Partial<Values>;
  return withoutSettled({
    base: now,
    revision,
    values: { ...now, ...kept },
    conflicts: [...new Set([...draft.conflicts, ...theirs.filter((key) => mine.has(key))])],
    taken: [...new Set([...draft.taken, ...theirs.filter((key) => !mine.has(key))])],
  });
}

/** Settles a conflict: the value of here is kept and will replace theirs, or theirs is taken. */
export function settle<Values extends object>(
  draft: Draft<Values>,
  key: keyof Values,
  whose: "mine" | "theirs",
): Draft<Values> {
  const values = whose === "mine" ? draft.values : { ...draft.values, [key]: draft.base[key] };
  return { ...draft, values, conflicts: draft.conflicts.filter((one) => one !== key) };
}

function withoutSettled<Values extends object>(draft: Draft<Values>): Draft<Values> {
  return { ...draft, conflicts: draft.conflicts.filter((key) => !isSame(draft.base[key], draft.values[key])) };
}

function keysOf<Values extends object>(values: Values): (keyof Values)[] {
  return Object.keys(values) as (keyof Values)[];
}
