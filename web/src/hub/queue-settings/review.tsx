import { Button } from "@mantine/core";
import { ValueDiff } from "../../shared/drafts/value-diff.tsx";
import type { Key, Settings } from "./draft.ts";
import { keyNames } from "./key-names.ts";

export interface ReviewProps {
  readonly base: Settings;
  readonly draft: Settings;
  readonly changed: readonly Key[];
  readonly isSaving: boolean;
  readonly cancel: () => void;
  readonly save: () => void;
}

/** What a save would change, key by key, before it does. */
export function Review({ base, draft, changed, isSaving, cancel, save }: ReviewProps) {
  return (
    <>
      <dl className="review">
        {changed.map((key) => (
          <div key={key}>
            <dt>{keyNames[key]}</dt>
            <dd>
              <ValueDiff before={base[key]} after={draft[key]} />
            </dd>
          </div>
        ))}
      </dl>
      <div className="dialog-end">
        <Button variant="default" onClick={cancel}>
          Go on editing
        </Button>
        <Button data-autofocus loading={isSaving} onClick={save}>
          Save
        </Button>
      </div>
    </>
  );
}
