import { changedKeys, changeOf, type Draft } from "../../shared/drafts/draft.ts";
import { ReviewedChanges } from "../../shared/drafts/reviewed-changes.tsx";
import { isWithoutEffect } from "./effect.ts";
import type { Settings } from "./faults.ts";
import { Impact } from "./impact.tsx";
import { keyNames } from "./key-names.ts";

/** Shows, before saving, what changes and what that does to the queue. */
export function Review({ draft }: { readonly draft: Draft<Settings> }) {
  const { base, values } = draft;
  const changed = changedKeys(draft);
  const idle = changed.filter((key) => isWithoutEffect(key, base, values));
  return (
    <>
      <Impact change={changeOf(draft)} />
      <ReviewedChanges
        changes={changed
          .filter((key) => !idle.includes(key))
          .map((key) => ({ key, name: keyNames[key], before: base[key], after: values[key] }))}
      />
      {idle.length === 0 ? undefined : (
        <p className="soft small">
          Saved too, without effect: {idle.map((key) => keyNames[key].toLowerCase()).join(", ")}.
        </p>
      )}
    </>
  );
}
