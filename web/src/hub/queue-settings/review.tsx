import { Button } from "@mantine/core";
import { changedKeys, changeOf, type Draft } from "../../shared/drafts/draft.ts";
import { ValueDiff } from "../../shared/drafts/value-diff.tsx";
import { isWithoutEffect } from "./effect.ts";
import type { Settings } from "./faults.ts";
import { Impact } from "./impact.tsx";
import { keyNames } from "./key-names.ts";

export interface ReviewProps {
  readonly draft: Draft<Settings>;
  readonly isSaving: boolean;
  readonly canSave: boolean;
  readonly cancel: () => void;
  readonly save: () => void;
}

/** Shows, before saving, what changes and what that does to the queue. */
export function Review({ draft, isSaving, canSave, cancel, save }: ReviewProps) {
  const { base, values } = draft;
  const changed = changedKeys(draft);
  const idle = changed.filter((key) => isWithoutEffect(key, base, values));
  return (
    <>
      <Impact change={changeOf(draft)} />
      <dl className="review">
        {changed
          .filter((key) => !idle.includes(key))
          .map((key) => (
            <div key={key}>
              <dt>{keyNames[key]}</dt>
              <dd>
                <ValueDiff before={base[key]} after={values[key]} />
              </dd>
            </div>
          ))}
      </dl>
      {idle.length === 0 ? undefined : (
        <p className="soft small">
          Saved too, without effect: {idle.map((key) => keyNames[key].toLowerCase()).join(", ")}.
        </p>
      )}
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
