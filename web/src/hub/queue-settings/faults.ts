import { governor } from "@nest/protocol";
import { changeOf, type Draft } from "../../shared/drafts/draft.ts";

export type Settings = governor.GovernorSettings;
export type Key = keyof Settings;
export type Faults = Readonly<Partial<Record<Key, string>>>;

/** Finds what the hub would refuse in a draft, by key, without asking it. Patterns are checked by the hub. */
export function faultsOf(draft: Draft<Settings>): Faults {
  const checked = governor.GovernorChange.safeParse(changeOf(draft));
  if (checked.success) return {};
  const faults: Partial<Record<Key, string>> = {};
  for (const { path, message } of checked.error.issues) {
    const [key, ...rest] = path;
    if (typeof key === "string") faults[key as Key] ??= [placeWords(rest), message].filter(Boolean).join(": ");
  }
  return faults;
}

/** Assigns the hub's refusal to the key that begins its message; undefined if it names no key. */
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
