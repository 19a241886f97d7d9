import type { Settings } from "./faults.ts";

/** A change as the audit keeps it: the values that changed, on either side. */
export interface Change {
  readonly before?: unknown;
}

/** The settings before the last of these changes, which are newest first and end with what is in force. Pure. */
export function settingsBefore(inForce: Settings, changes: readonly Change[]): Settings {
  let settings = inForce;
  for (const { before } of changes) {
    const known = Object.entries((before ?? {}) as object).filter(([key]) => Object.hasOwn(inForce, key));
    settings = { ...settings, ...Object.fromEntries(known) };
  }
  return settings;
}

/** What is said once earlier settings stand in the page: what is other there now, and that nothing is saved yet. Pure. */
export function takenWords(names: readonly string[]): string {
  if (names.length === 0) return "That is what is in force already: nothing is changed.";
  return `Taken into the page, and not saved yet: ${names.join(", ")}.`;
}
