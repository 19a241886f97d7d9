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
  const found = at(config, field.key);
  switch (field.kind) {
    case "lines":
      return Array.isArray(found) ? found.map(String) : [];
    case "switch":
      return typeof found === "boolean" ? found : field.isOnByDefault;
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

/** The names of the entries of an object of the configuration: agents, modes. */
export function namesIn(config: Readonly<Record<string, unknown>>, key: string): string[] {
  const found = at(config, key);
  return typeof found === "object" && found !== null && !Array.isArray(found) ? Object.keys(found) : [];
}

function at(config: unknown, key: string): unknown {
  let found = config;
  for (const part of key.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Record<string, unknown>)[part];
  }
  return found;
}
