/** The way to a key, from the top: `["governor", "eval_interval_s"]`. */
export type Path = readonly string[];

/** A map of keys, as YAML and JSON have them. */
export type Tree = Readonly<Record<string, unknown>>;

/** In place of an agent, a mode or a channel: the entry is taken away, whatever the layers below say of it. */
export const REMOVED = false;

/** The sections whose entries people add and remove by name. */
const NAMED: readonly Path[] = [["agents"], ["governor", "modes"], ["notifications", "channels"]];

/** Whether a path leads to an agent, a mode or a channel as a whole. Pure. */
export function isNamedEntry(path: Path): boolean {
  return NAMED.some((section) => path.length === section.length + 1 && section.every((key, at) => path[at] === key));
}

export function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every value of a configuration with its path. Lists and empty maps are values; a key without a value says nothing. Pure. */
export function leavesOf(value: unknown, path: Path = []): readonly (readonly [path: Path, value: unknown])[] {
  if (value === undefined || value === null) return [];
  if (!isTree(value) || (Object.keys(value).length === 0 && path.length > 0)) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}

/** The value at a path; undefined where there is none. Pure. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (isTree(at) && Object.hasOwn(at, key) ? at[key] : undefined), value);
}

/** A path as people write it: `governor.eval_interval_s`. */
export function keyOf(path: Path): string {
  return path.join(".");
}

/** Whether two values of a configuration say the same. The order of keys is no difference. Pure. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(ordered(one)) === JSON.stringify(ordered(other));
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isTree(value)) return value;
  return Object.keys(value)
    .sort()
    .map((key) => [key, ordered(value[key])]);
}
