import { Button } from "@mantine/core";
import { ValueDiff } from "../../shared/drafts/value-diff.tsx";
import { keyNames } from "./key-names.ts";
import type { SettingsDraft } from "./use-settings.ts";

/** Says what another admin changed meanwhile; where both changed the same, has one chosen. */
export function Conflicts({ form }: { readonly form: SettingsDraft }) {
  const { conflicts, taken, settle } = form;
  if (conflicts.length === 0 && taken.length === 0) return undefined;
  return (
    <div className="notice" role="alert">
      {taken.length === 0 ? undefined : (
        <p>
          Another admin has just changed {taken.map((key) => keyNames[key].toLowerCase()).join(", ")}; you see it here.
        </p>
      )}
      {conflicts.map((conflict) => (
        <div key={conflict.key} className="conflict">
          <p>
            <b>{keyNames[conflict.key]}</b> was changed by another admin as well. From theirs to yours:
          </p>
          <ValueDiff before={conflict.theirs} after={conflict.mine} />
          <div className="card-acts">
            <Button size="compact-sm" variant="default" onClick={() => settle(conflict, "theirs")}>
              Take theirs
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => settle(conflict, "mine")}>
              Keep mine
            </Button>
          </div>
        </div>
      ))}
    </div>
  );
}
