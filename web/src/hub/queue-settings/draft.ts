import { governor } from "@nest/protocol";

export type Settings = governor.GovernorSettings;
export type Key = keyof Settings;

/** A key that was changed here and, meanwhile, by somebody else to another value. */
export interface Conflict {
  readonly key: Key;
  readonly mine: unknown;
  readonly theirs: unknown;
}

export interface Rebased {
  readonly draft: Settings;
  readonly conflicts: readonly Conflict[];
  /** Keys that somebody else changed and that were not touched here: taken over. */
  readonly taken: readonly Key[];
}

/** Whether two values of the configuration are the same. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The keys in which a draft differs from what it was begun on. */
export function changedKeys(base: Settings, draft: Settings): Key[] {
  return (Object.keys(base) as Key[]).filter((key) => !isSame(base[key], draft[key]));
}

/** What to put so that the draft holds: the changed keys alone, so that nobody's other changes are touched. */
export function changeOf(base: Settings, draft: Settings): governor.GovernorChange {
  return Object.fromEntries(changedKeys(base, draft).map((key) => [key, draft[key]]));
}

/**
 * A draft that was begun on `base`, on what is in force now. What was changed here stays; what others changed is taken over;
 * what both changed to different values stays as it is here until somebody has chosen.
 */
export function rebase(base: Settings, draft: Settings, now: Settings): Rebased {
  const mine = new Set(changedKeys(base, draft));
  const theirs = changedKeys(base, now);
  const conflicts = theirs
    .filter((key) => mine.has(key) && !isSame(draft[key], now[key]))
    .map((key) => ({ key, mine: draft[key], theirs: now[key] }));
  const kept = Object.fromEntries([...mine].map((key) => [key, draft[key]])) as Partial<Settings>;
  return { draft: { ...now, ...kept }, conflicts, taken: theirs.filter((key) => !mine.has(key)) };
}

export type Faults = Readonly<Partial<Record<Key, string>>>;

/** What is wrong with a draft, by key: what the hub would refuse, said before it is asked. Patterns it alone can judge. */
export function faultsOf(base: Settings, draft: Settings): Faults {
  const checked = governor.GovernorChange.safeParse(changeOf(base, draft));
  if (checked.success) return {};
  const faults: Partial<Record<Key, string>> = {};
  for (const { path, message } of checked.error.issues) {
    const [key, ...rest] = path;
    if (typeof key === "string") faults[key as Key] ??= [placeWords(rest), message].filter(Boolean).join(": ");
  }
  return faults;
}

/** What the hub refused, beside the key that its sentence begins with; undefined when it names none. */
export function faultOfAnswer(message: string, settings: Settings): Faults | undefined {
  const [, key = "", place, because = ""] = /^([a-z_]+)(?:\[(\d+)\]|\.[\w.]+)?: (.*)$/s.exec(message) ?? [];
  if (!Object.hasOwn(settings, key)) return undefined;
  return { [key]: place === undefined ? because : `line ${Number(place) + 1}: ${because}` };
}

function placeWords(path: readonly PropertyKey[]): string {
  return path
    .map((step) => (typeof step === "number" ? `line ${step + 1}` : String(step).replaceAll("_", " ")))
    .join(", ");
}
