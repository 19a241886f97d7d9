import type { Field } from "./fields.ts";

/** A value as a field edits it: never absent, so that a draft has it. */
export type Value = string | boolean | number | null | readonly string[];
/** All values of the page, by key with dots. */
export type Values = Readonly<Record<string, Value>>;

/** What a secret reads as. */
export const SECRET = "[secret]";

/** The values of the fields in a configuration. */
export function valuesIn(config: Readonly<Record<string, unknown>>, fields: readonly Field[]): Values {
  return Object.fromEntries(fields.map((field) => [field.key, valueIn(config, field)]));
}

function valueIn(config: Readonly<Record<string, unknown>>, field: Field): Value {
  const found = valueAt(config, field.key.split("."));
  switch (field.kind) {
    case "lines":
    case "checks":
      // A list of one can be written as that one.
      return Array.isArray(found) ? found.map(String) : typeof found === "string" ? [found] : [];
    case "switch":
      return typeof found === "boolean" ? found : field.isOnByDefault;
    case "yes-no":
      return typeof found === "boolean" ? found : null;
    case "number":
      return typeof found === "number" ? found : null;
    default:
      return typeof found === "string" || typeof found === "number" ? String(found) : "";
  }
}

/** The part of the configuration that changes. What was emptied goes back to what the layers below say. */
export function changeFor(changed: Partial<Values>): Record<string, unknown> {
  const change: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(changed)) {
    const path = key.split(".");
    const last = path.pop() ?? key;
    let inside = change;
    for (const part of path) {
      inside[part] ??= {};
      inside = inside[part] as Record<string, unknown>;
    }
    inside[last] = value === "" ? null : value;
  }
  return change;
}

/** The entries of an object of the configuration by name: agents, modes, channels. Those that were removed here are none. */
export function entriesIn(config: Readonly<Record<string, unknown>>, key: string): [name: string, entry: unknown][] {
  return allIn(config, key).filter(([, entry]) => entry !== false);
}

export function namesIn(config: Readonly<Record<string, unknown>>, key: string): string[] {
  return entriesIn(config, key).map(([name]) => name);
}

/** All names that entries have, also those of `nest.yaml` that were removed here. */
export function entryNames(config: Readonly<Record<string, unknown>>, key: string): string[] {
  return allIn(config, key).map(([name]) => name);
}

/** The names of entries that `nest.yaml` has and that were removed here. */
export function removedIn(config: Readonly<Record<string, unknown>>, key: string): string[] {
  return allIn(config, key).flatMap(([name, entry]) => (entry === false ? [name] : []));
}

function allIn(config: Readonly<Record<string, unknown>>, key: string): [string, unknown][] {
  const found = valueAt(config, key.split("."));
  return typeof found === "object" && found !== null && !Array.isArray(found) ? Object.entries(found) : [];
}

/** The value at a path; undefined where there is none. */
export function valueAt(config: unknown, path: readonly string[]): unknown {
  let found = config;
  for (const part of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Record<string, unknown>)[part];
  }
  return found;
}
