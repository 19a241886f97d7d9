import "./settings.css";
import { Button, Modal } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useState } from "react";
import { changedKeys, type Draft } from "../../shared/drafts/draft.ts";
import { SaveBar } from "../../shared/drafts/save-bar.tsx";
import { useDraft } from "../../shared/drafts/use-draft.ts";
import { ValueDiff } from "../../shared/drafts/value-diff.tsx";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { PageIndex } from "../../shared/layout/page-index.tsx";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import { useRefusal, useVisitor } from "../session/session.ts";
import { configSource, fieldsOf, useConfigView, useProvenance } from "./config.ts";
import { secretKeys } from "./fields.ts";
import { RestartNotice } from "./restart-notice.tsx";
import { SettingsSections, sectionsOf } from "./sections.tsx";
import { SECRET, type Values } from "./values.ts";

/** Edits the nest's configuration as one draft, which is reviewed and then saved. */
export function Settings() {
  const isKnown = useVisitor() !== undefined;
  const refusal = useRefusal("configure");
  return (
    <>
      <div className="page-head">
        <h1>Settings</h1>
      </div>
      {!isKnown ? <Loading rows={8} /> : refusal === undefined ? <Form /> : <p className="notice">{refusal}</p>}
    </>
  );
}

function Form() {
  const form = useDraft(configSource);
  const view = useConfigView();
  const provenance = useProvenance();
  const [isReviewing, setReviewing] = useState(false);
  const { draft, changed, faults, problem, again } = form;
  useBlocker({
    disabled: changed.length === 0,
    enableBeforeUnload: changed.length > 0,
    shouldBlockFn: async ({ current, next }) => current.pathname !== next.pathname && !(await askToLeave()),
  });
  if (problem !== undefined) return <LoadFailed problem={problem} again={again} />;
  if (draft === undefined || view === undefined) return <Loading rows={8} />;
  const names = namesOf(view.config);
  const rows = new Map(provenance.data?.rows.map((row) => [row.key, row]));
  const isPending = changed.length > 0 || draft.conflicts.length > 0 || draft.taken.length > 0;
  const canSave = draft.conflicts.length === 0 && Object.keys(faults).length === 0;
  return (
    <>
      <RestartNotice keys={view.restart_needed} />
      {view.read_only === undefined ? undefined : (
        <p className="notice">
          Nothing can be saved: <bdi>{view.read_only}</bdi>
        </p>
      )}
      {provenance.data?.rejected.map(({ file, reason }) => (
        <p key={file} className="notice">
          <bdi>{file}</bdi> is not used: <bdi>{reason}</bdi>
        </p>
      ))}
      <div className="settings-page">
        <PageIndex sections={sectionsOf(view.config).map(({ id, title }) => [id, title])} />
        <SettingsSections
          view={view}
          values={draft.values}
          changed={changed}
          faults={faults}
          rows={rows}
          change={(key, value) => form.change({ [key]: value })}
        />
        {isPending ? (
          <SaveBar
            changes={changed.length}
            others="somebody else"
            faults={Object.keys(faults).length}
            conflicts={draft.conflicts.map((key) => ({
              key,
              name: names.get(key) ?? key,
              mine: shownIn(key, draft.values),
              theirs: shownIn(key, draft.base),
              settle: (whose) => form.settle(key, whose),
            }))}
            taken={draft.taken.map((key) => names.get(key) ?? key)}
            seen={form.seen}
            discard={form.discard}
            review={() => setReviewing(true)}
          />
        ) : undefined}
      </div>
      <Modal
        opened={isReviewing && changed.length > 0}
        onClose={() => setReviewing(false)}
        title="What changes"
        size="lg"
      >
        <Review
          draft={draft}
          names={names}
          isSaving={form.isSaving}
          canSave={canSave}
          cancel={() => setReviewing(false)}
          save={() => void form.save().then(() => setReviewing(false))}
        />
      </Modal>
    </>
  );
}

interface ReviewProps {
  readonly draft: Draft<Values>;
  readonly names: ReadonlyMap<string, string>;
  readonly isSaving: boolean;
  readonly canSave: boolean;
  readonly cancel: () => void;
  readonly save: () => void;
}

/** Shows, before saving, what changes from what to what. */
function Review({ draft, names, isSaving, canSave, cancel, save }: ReviewProps) {
  return (
    <>
      <dl className="review">
        {changedKeys(draft).map((key) => (
          <div key={key}>
            <dt>
              {names.get(key) ?? key} <code className="soft small">{key}</code>
            </dt>
            <dd>
              <ValueDiff before={shownIn(key, draft.base)} after={shownIn(key, draft.values)} />
            </dd>
          </div>
        ))}
      </dl>
      <div className="dialog-end">
        <Button variant="default" onClick={cancel}>
          Go on editing
        </Button>
        <Button data-autofocus loading={isSaving} disabled={!canSave} onClick={save}>
          Save
        </Button>
      </div>
    </>
  );
}

/** A value as others may see it over one's shoulder: a new secret is not shown. */
function shownIn(key: string, values: Values): unknown {
  const value = values[key];
  return secretKeys.has(key) && value !== SECRET && value !== "" ? "a new secret" : value;
}

function namesOf(config: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  return new Map(fieldsOf(config).map(({ key, label }) => [key, label]));
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
