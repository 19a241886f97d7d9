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
