import { governor } from "@nest/protocol";
import { changeOf, type Draft } from "../../shared/drafts/draft.ts";

export type Settings = governor.GovernorSettings;
export type Key = keyof Settings;
export type Faults = Readonly<Partial<Record<Key, string>>>;

/** What is wrong with a draft, by key: what the hub would refuse, said before it is asked. Patterns it alone can judge. */
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
