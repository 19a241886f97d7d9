import { Button } from "@mantine/core";
import { governor } from "@nest/protocol";
import { createContext, type ReactNode, useContext } from "react";
import type { Key, Settings } from "./faults.ts";
import { keyNames } from "./key-names.ts";
import type { SectionProps } from "./section.tsx";
import { ValueWords } from "./value-words.tsx";

/** Which settings are shown. */
export interface Shown {
  /** Words that a setting's name or label has to have, in lower case. */
  readonly words: string;
  readonly onlyChanged: boolean;
}

export const ShownSettings = createContext<Shown>({ words: "", onlyChanged: false });

/** Whether a setting is what a hub has that was never configured. */
export function isDefault(key: Key, settings: Settings): boolean {
  return JSON.stringify(settings[key]) === JSON.stringify(governor.defaultSettings[key]);
}

export interface SettingProps extends SectionProps {
  readonly keys: readonly Key[];
  /** Further words under which it is found. */
  readonly words?: string;
  readonly children: ReactNode;
}

/** One setting, or a few that belong together: found by its words, and with a way back where it is not the default. */
export function Setting({ keys, words = "", form, draft, children }: SettingProps) {
  const shown = useContext(ShownSettings);
  const others = keys.filter((key) => !isDefault(key, draft));
  const names = keys.map((key) => `${keyNames[key]} ${key}`).join(" ");
  const isFound = `${names} ${words}`.toLowerCase().includes(shown.words);
  return (
    <div
      className="setting"
      data-keys={keys.join(" ")}
      data-changed={others.length > 0 || undefined}
      hidden={!isFound || (shown.onlyChanged && others.length === 0)}
    >
      {children}
      {others.map((key) => (
        <p key={key} className="soft small setting-default">
          Not the default, which is <ValueWords value={governor.defaultSettings[key]} />{" "}
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={`Back to it: the default of ${keyNames[key]}`}
            onClick={() => form.change({ [key]: governor.defaultSettings[key] })}
          >
            Back to it
          </Button>
        </p>
      ))}
    </div>
  );
}
