import { isObject, jsonObject } from "./given.ts";

/** A token, a date, a number of seconds: no login holds a longer value, or one with white space in it. */
const VALUE = /^[\x21-\x7e]{1,16384}$/;

export interface Renewal {
  /** The person's own file, as it is now. */
  readonly own: string;
  /** What the run was given of it. */
  readonly given: string;
  /** What the run left behind. */
  readonly left: string;
  /** The values that may have been renewed (see `OwnFile.renewed`). */
  readonly renewed: readonly string[];
}

/**
 * The person's own file with the values that a run renewed; undefined when nothing is to change. Takes over only values that
 * were there before, under the same names and of the same kind: a run can add and remove nothing. When the person's own session
 * renewed the login in the meantime, that one stays. Pure.
 */
export function renewedText({ own, given, left, renewed }: Renewal): string | undefined {
  const [now, before, after] = [jsonObject(own), jsonObject(given), jsonObject(left)];
  if (now === undefined || before === undefined || after === undefined) return undefined;
  const paths = renewed.flatMap((path) => pathsIn(before, path.split(".")));
  let changed = false;
  for (const path of paths) {
    const [was, is, current] = [valueAt(before, path), valueAt(after, path), valueAt(now, path)];
    if (current !== was) return undefined;
    if (is === was || !isLike(was, is)) continue;
    setAt(now, path, is);
    changed = true;
  }
  return changed ? `${JSON.stringify(now, undefined, own.includes("\n  ") ? 2 : 0)}\n` : undefined;
}

function isLike(was: unknown, is: unknown): boolean {
  if (typeof was === "string") return typeof is === "string" && VALUE.test(is);
  return typeof was === "number" && typeof is === "number" && Number.isFinite(is);
}

/** Every path of that form to a value in `object`. */
function pathsIn(object: Record<string, unknown>, [name = "", ...rest]: readonly string[]): readonly string[][] {
  const names = (name === "*" ? Object.keys(object) : [name]).filter((one) => Object.hasOwn(object, one));
  return names.flatMap((one) => {
    if (rest.length === 0) return [[one]];
    const inner = object[one];
    return isObject(inner) ? pathsIn(inner, rest).map((path) => [one, ...path]) : [];
  });
}

function valueAt(object: Record<string, unknown>, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** Sets a value whose path was found there before. */
function setAt(object: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const last = path.at(-1) ?? "";
  const holder = path.length === 1 ? object : valueAt(object, path.slice(0, -1));
  if (isObject(holder) && Object.hasOwn(holder, last)) holder[last] = value;
}
