import "./settings.css";
import { Button, Checkbox, TextInput } from "@mantine/core";
import { lazy, Suspense, useState } from "react";
import { SettingsFrame } from "../../shared/drafts/settings-frame.tsx";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import type { Faults, Key, Settings } from "./faults.ts";
import { FilterSettings } from "./filter-settings.tsx";
import { HandOutSettings } from "./hand-out-settings.tsx";
import { keyNames, settingsSections } from "./key-names.ts";
import { ModelSettings } from "./model-settings.tsx";
import { RepositorySettings } from "./repository-settings.tsx";
import { Review } from "./review.tsx";
import { isDefault, ShownSettings } from "./setting.tsx";
import { showSetting } from "./show-setting.ts";
import { TierSettings } from "./tier-settings.tsx";
import { usePatternFaults } from "./use-pattern-faults.ts";
import { useSettingsDraft } from "./use-settings.ts";

const History = lazy(async () => ({ default: (await import("./history.tsx")).History }));

/** Edits the whole queue configuration as one draft, which is reviewed and then saved all or nothing. */
export function QueueSettings() {
  const form = useSettingsDraft();
  const { draft, problem, again } = form;
  const patternFaults = usePatternFaults(draft);
  const [shown, setShown] = useState({ words: "", onlyChanged: false });
  const [isHistoryOpen, setHistoryOpen] = useState<boolean>();
  const faults = { ...patternFaults, ...form.faults };
  if (problem !== undefined) return <LoadFailed problem={problem} again={again} />;
  if (draft === undefined) return <Loading rows={8} />;
  const others = keysOf(draft.values).filter((key) => !isDefault(key, draft.values)).length;
  const section = { form: { ...form, faults }, draft: draft.values };
  return (
    <>
      <div className="page-head">
        <h1>Queue settings</h1>
        <div className="controls">
          <TextInput
            type="search"
            aria-label="Search settings"
            placeholder="Search settings"
            value={shown.words}
            onChange={(event) => setShown({ ...shown, words: event.currentTarget.value })}
          />
          <Checkbox
            label={`Only what is not the default (${others})`}
            checked={shown.onlyChanged}
            onChange={(event) => setShown({ ...shown, onlyChanged: event.currentTarget.checked })}
          />
          <Button variant="default" onClick={() => setHistoryOpen(true)}>
            History
          </Button>
        </div>
      </div>
      {isHistoryOpen === undefined ? undefined : (
        <Suspense>
          <History
            opened={isHistoryOpen}
            close={() => setHistoryOpen(false)}
            inForce={draft.base}
            change={form.change}
            show={(key) => {
              setShown({ words: "", onlyChanged: false });
              showSetting(key);
            }}
          />
        </Suspense>
      )}
      <SettingsFrame
        form={form}
        draft={draft}
        faults={faults}
        firstFault={firstFault(faults)}
        sections={settingsSections}
        nameOf={(key) => keyNames[key]}
        review={<Review draft={draft} />}
      >
        <ShownSettings value={{ ...shown, words: shown.words.trim().toLowerCase() }}>
          <div className="settings">
            <HandOutSettings {...section} />
            <RepositorySettings {...section} />
            <FilterSettings {...section} />
            <ModelSettings {...section} />
            <TierSettings {...section} />
          </div>
          <p className="soft settings-none" role="status">
            No setting is like that.
          </p>
        </ShownSettings>
      </SettingsFrame>
    </>
  );
}

function keysOf(settings: Settings): Key[] {
  return Object.keys(settings) as Key[];
}

function firstFault(faults: Faults): string {
  const [first] = Object.entries(faults);
  return first === undefined ? "" : `(${keyNames[first[0] as Key]}: ${first[1]})`;
}
