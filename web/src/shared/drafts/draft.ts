/**
 * A draft of stored values that other people may change at the same time. Keys changed in the draft keep their value. Keys changed
 * by others take the new value. A key changed by both to different values is a conflict: it keeps the draft's value, and the draft
 * cannot be saved until the person has chosen one of the two.
 */
export interface Draft<Values extends object> {
  /** The values in force when last read. */
  readonly base: Values;
  /** The revision of `base`. It is sent with the save, so that the server can refuse to overwrite a newer one. */
  readonly revision: string | undefined;
  readonly values: Values;
  /** Keys changed both in the draft and by somebody else, to different values. */
  readonly conflicts: readonly (keyof Values)[];
  /** Keys changed only by somebody else. */
  readonly taken: readonly (keyof Values)[];
  /** Values of the draft, and not saved, whose keys somebody else has taken away meanwhile. They cannot be saved any more. */
  readonly dropped: Partial<Values>;
}

export function beginDraft<Values extends object>(base: Values, revision: string | undefined): Draft<Values> {
  return { base, revision, values: base, conflicts: [], taken: [], dropped: {} };
}

/** Whether two values are equal as JSON. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The keys in which a draft differs from the values in force. */
export function changedKeys<Values extends object>({ base, values }: Draft<Values>): (keyof Values)[] {
  return keysOf(base).filter((key) => !isSame(base[key], values[key]));
}

/** The changed keys with their values. Only these are saved, so that nobody else's changes are overwritten. */
export function changeOf<Values extends object>(draft: Draft<Values>): Partial<Values> {
  return Object.fromEntries(changedKeys(draft).map((key) => [key, draft.values[key]])) as Partial<Values>;
}

/** Changes values of the draft. A conflict ends if both values are now the same. */
export function edit<Values extends object>(draft: Draft<Values>, part: Partial<Values>): Draft<Values> {
  return withoutSettled({ ...draft, values: { ...draft.values, ...part } });
}

/** Moves the draft onto newer values in force. Unsettled conflicts remain; changes of keys that are gone are told as dropped. */
export function receive<Values extends object>(
  draft: Draft<Values>,
  now: Values,
  revision: string | undefined,
): Draft<Values> {
  const mine = new Set(changedKeys(draft));
  for (const key of draft.conflicts) mine.add(key);
  // A key that is new here, as of an agent that was added, changed nobody's value.
  const theirs = keysOf(now).filter((key) => Object.hasOwn(draft.base, key) && !isSame(draft.base[key], now[key]));
  const [kept, gone] = [true, false].map((isThere) => {
    const keys = [...mine].filter((key) => Object.hasOwn(now, key) === isThere);
    return Object.fromEntries(keys.map((key) => [key, draft.values[key]])) as Partial<Values>;
  });
  return withoutSettled({
    base: now,
    revision,
    values: { ...now, ...kept },
    conflicts: keysOf(now).filter((key) => draft.conflicts.includes(key) || (theirs.includes(key) && mine.has(key))),
    taken: [...new Set([...draft.taken, ...theirs.filter((key) => !mine.has(key))])],
    dropped: { ...draft.dropped, ...gone },
  });
}

/** Settles a conflict: keeps the draft's value, which will then replace theirs, or takes theirs. */
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
