import "./settings.css";
import { Button, Modal } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useState } from "react";
import { plural } from "../../shared/format/format.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import { Conflicts } from "./conflicts.tsx";
import { FilterSettings } from "./filter-settings.tsx";
import { HandOutSettings } from "./hand-out-settings.tsx";
import { ModelSettings } from "./model-settings.tsx";
import { RepositorySettings } from "./repository-settings.tsx";
import { Review } from "./review.tsx";
import { TierSettings } from "./tier-settings.tsx";
import { useSettingsDraft } from "./use-settings.ts";

/** The whole queue configuration as one draft: shown before it is saved, saved all or nothing. */
export function QueueSettings() {
  const form = useSettingsDraft();
  const { base, draft, changed, faults, problem, again } = form;
  const [reviewing, setReviewing] = useState(false);
  const isChanged = changed.length > 0;
  useBlocker({
    disabled: !isChanged,
    enableBeforeUnload: isChanged,
    shouldBlockFn: async ({ current, next }) => current.pathname !== next.pathname && !(await askToLeave()),
  });
  if (problem !== undefined && problem !== null) return <LoadFailed problem={problem} again={again} />;
  if (draft === undefined || base === undefined) return <Loading rows={8} />;
  const faulty = Object.keys(faults).length;
  return (
    <>
      <div className="page-head">
        <h1>Queue settings</h1>
      </div>
      <Conflicts form={form} />
      <div className="settings">
        <HandOutSettings form={form} draft={draft} />
        <RepositorySettings form={form} draft={draft} />
        <FilterSettings form={form} draft={draft} />
        <ModelSettings form={form} draft={draft} />
        <TierSettings form={form} draft={draft} />
      </div>
      {isChanged ? (
        <section className="save-bar" aria-label="Unsaved changes">
          <span>
            {plural(changed.length, "unsaved change")}
            {faulty === 0 ? "" : `, ${faulty} cannot be saved yet`}
          </span>
          <Button variant="default" onClick={form.discard}>
            Discard
          </Button>
          <Button disabled={faulty > 0} onClick={() => setReviewing(true)}>
            Review and save
          </Button>
        </section>
      ) : undefined}
      <Modal opened={reviewing && isChanged} onClose={() => setReviewing(false)} title="What changes" size="lg">
        <Review
          base={base}
          draft={draft}
          changed={changed}
          isSaving={form.isSaving}
          cancel={() => setReviewing(false)}
          save={() => void form.save().then(() => setReviewing(false))}
        />
      </Modal>
    </>
  );
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
