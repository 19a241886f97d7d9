import "./settings.css";
import { Modal } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useState } from "react";
import { SaveBar } from "../../shared/drafts/save-bar.tsx";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { PageIndex } from "../../shared/layout/page-index.tsx";
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
  const { draft, changed, problem, again } = form;
  const patternFaults = usePatternFaults(draft);
  const faults = { ...patternFaults, ...form.faults };
  const [reviewing, setReviewing] = useState(false);
  const isChanged = changed.length > 0;
  useBlocker({
    disabled: !isChanged,
    enableBeforeUnload: isChanged,
    shouldBlockFn: async ({ current, next }) => current.pathname !== next.pathname && !(await askToLeave()),
  });
  if (problem !== undefined) return <LoadFailed problem={problem} again={again} />;
  if (draft === undefined) return <Loading rows={8} />;
  const section = { form: { ...form, faults }, draft: draft.values };
  const canSave = draft.conflicts.length === 0 && Object.keys(faults).length === 0;
  return (
    <>
      <div className="page-head">
        <h1>Queue settings</h1>
      </div>
      <div className="settings-page">
        <PageIndex sections={settingsSections} />
        <div className="settings">
          <HandOutSettings {...section} />
          <RepositorySettings {...section} />
          <FilterSettings {...section} />
          <ModelSettings {...section} />
          <TierSettings {...section} />
        </div>
        {isChanged || draft.conflicts.length > 0 || draft.taken.length > 0 ? (
          <SaveBar
            changes={changed.length}
            faults={Object.keys(faults).length}
            firstFault={firstFault(faults)}
            conflicts={draft.conflicts.map((key) => ({
              key,
              name: keyNames[key],
              mine: draft.values[key],
              theirs: draft.base[key],
              settle: (whose) => form.settle(key, whose),
            }))}
            taken={draft.taken.map((key) => keyNames[key])}
            seen={form.seen}
            discard={form.discard}
            review={() => setReviewing(true)}
          />
        ) : undefined}
      </div>
      <Modal opened={reviewing && isChanged} onClose={() => setReviewing(false)} title="What changes" size="lg">
        <Review
          draft={draft}
          isSaving={form.isSaving}
          canSave={canSave}
          cancel={() => setReviewing(false)}
          save={() => void form.save().then(() => setReviewing(false))}
        />
      </Modal>
    </>
  );
}

function firstFault(faults: Faults): string {
  const [first] = Object.entries(faults);
  return first === undefined ? "" : `(${keyNames[first[0] as Key]}: ${first[1]})`;
}

function askToLeave(): Promise<boolean> {
  return new Promise((resolve) => {
    openConfirm({
      title: "Leave without saving?",
      consequences: "What you changed here is lost.",
      yes: "Leave",
      no: "Stay",
      dangerous: true,
      act: async () => resolve(true),
      otherwise: () => resolve(false),
    });
  });
}
