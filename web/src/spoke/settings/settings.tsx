import "./settings.css";
import { lazy } from "react";
import { changedKeys, type Draft } from "../../shared/drafts/draft.ts";
import { SettingsFrame } from "../../shared/drafts/settings-frame.tsx";
import { useDraft } from "../../shared/drafts/use-draft.ts";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import { useRefusal, useVisitor } from "../session/session.ts";
import { configSource, fieldsOf, useConfigView, useProvenance } from "./config.ts";
import { secretKeys } from "./fields.ts";
import { RestartNotice } from "./restart-notice.tsx";
import { SettingsSections, sectionsOf } from "./sections.tsx";
import { SECRET, type Values } from "./values.ts";

const ReviewedChanges = lazy(async () => ({
  default: (await import("../../shared/drafts/reviewed-changes.tsx")).ReviewedChanges,
}));

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
  const { draft, changed, faults, problem, again } = form;
  if (problem !== undefined) return <LoadFailed problem={problem} again={again} />;
  if (draft === undefined || view === undefined) return <Loading rows={8} />;
  const names = namesOf(view.config);
  const rows = new Map(provenance.data?.rows.map((row) => [row.key, row]));
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
      <SettingsFrame
        form={form}
        draft={draft}
        faults={faults}
        sections={sectionsOf(view.config).map(({ id, title }) => [id, title])}
        nameOf={(key) => names.get(key) ?? key}
        shown={shownIn}
        others="another window or person"
        review={<Review draft={draft} names={names} />}
      >
        <SettingsSections
          view={view}
          values={draft.values}
          changed={changed}
          faults={faults}
          rows={rows}
          change={(key, value) => form.change({ [key]: value })}
        />
      </SettingsFrame>
    </>
  );
}

interface ReviewProps {
  readonly draft: Draft<Values>;
  readonly names: ReadonlyMap<string, string>;
}

/** Shows, before saving, what changes from what to what. */
function Review({ draft, names }: ReviewProps) {
  return (
    <ReviewedChanges
      changes={changedKeys(draft).map((key) => ({
        key,
        name: (
          <>
            {names.get(key) ?? key} <code className="soft small">{key}</code>
          </>
        ),
        before: shownIn(key, draft.base),
        after: shownIn(key, draft.values),
      }))}
    />
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
