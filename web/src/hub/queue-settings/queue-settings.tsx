import "./settings.css";
import { SettingsFrame } from "../../shared/drafts/settings-frame.tsx";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import type { Faults, Key } from "./faults.ts";
import { FilterSettings } from "./filter-settings.tsx";
import { HandOutSettings } from "./hand-out-settings.tsx";
import { keyNames, settingsSections } from "./key-names.ts";
import { ModelSettings } from "./model-settings.tsx";
import { RepositorySettings } from "./repository-settings.tsx";
import { Review } from "./review.tsx";
import { TierSettings } from "./tier-settings.tsx";
import { usePatternFaults } from "./use-pattern-faults.ts";
import { useSettingsDraft } from "./use-settings.ts";

/** Edits the whole queue configuration as one draft, which is reviewed and then saved all or nothing. */
export function QueueSettings() {
  const form = useSettingsDraft();
  const { draft, problem, again } = form;
  const patternFaults = usePatternFaults(draft);
  const faults = { ...patternFaults, ...form.faults };
  if (problem !== undefined) return <LoadFailed problem={problem} again={again} />;
  if (draft === undefined) return <Loading rows={8} />;
  const section = { form: { ...form, faults }, draft: draft.values };
  return (
    <>
      <div className="page-head">
        <h1>Queue settings</h1>
      </div>
      <SettingsFrame
        form={form}
        draft={draft}
        faults={faults}
        firstFault={firstFault(faults)}
        sections={settingsSections}
        nameOf={(key) => keyNames[key]}
        review={<Review draft={draft} />}
      >
        <div className="settings">
          <HandOutSettings {...section} />
          <RepositorySettings {...section} />
          <FilterSettings {...section} />
          <ModelSettings {...section} />
          <TierSettings {...section} />
        </div>
      </SettingsFrame>
    </>
  );
}

function firstFault(faults: Faults): string {
  const [first] = Object.entries(faults);
  return first === undefined ? "" : `(${keyNames[first[0] as Key]}: ${first[1]})`;
}
