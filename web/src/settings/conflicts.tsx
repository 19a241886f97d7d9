import { Button } from "@mantine/core";
import { ValueDiff } from "../look/value-diff.tsx";
import { keyWords } from "./key-words.ts";
import type { SettingsInHand } from "./use-settings.ts";

/** Says what another admin changed meanwhile; where both changed the same, has one chosen. */
export function Conflicts({ hand }: { readonly hand: SettingsInHand }) {
  const { conflicts, taken, settle } = hand;
  if (conflicts.length === 0 && taken.length === 0) return undefined;
  return (
    <div className="notice" role="alert">
      {taken.length === 0 ? undefined : (
        <p>
          Another admin has just changed {taken.map((key) => keyWords[key].toLowerCase()).join(", ")}; you see it here.
        </p>
      )}
      {conflicts.map((conflict) => (
        <div key={conflict.key} className="conflict">
          <p>
            <b>{keyWords[conflict.key]}</b> was changed by another admin as well. From theirs to yours:
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
