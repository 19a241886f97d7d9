import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { capitalised, plural } from "../format/format.ts";
import { ValueDiff } from "./value-diff.tsx";

/** A key that somebody else changed as well, with both values. */
export interface ShownConflict {
  readonly key: string;
  readonly name: string;
  readonly mine: unknown;
  readonly theirs: unknown;
  readonly settle: (whose: "mine" | "theirs") => void;
}

export interface SaveBarProps {
  readonly changes: number;
  /** Who else may change these values. */
  readonly others?: string;
  /** How many of the changes cannot be saved, and where the first of them is. */
  readonly faults: number;
  readonly firstFault?: ReactNode;
  readonly conflicts: readonly ShownConflict[];
  /** Names of the values that somebody else changed and the page now shows. */
  readonly taken: readonly string[];
  /** Called when the person has read it. */
  readonly seen: () => void;
  readonly discard: () => void;
  readonly review: () => void;
}

/** Stays visible below the form: what is unsaved, what prevents saving, and the button that leads to saving. */
export function SaveBar({
  changes,
  others = "another admin",
  faults,
  firstFault,
  conflicts,
  taken,
  seen,
  discard,
  review,
}: SaveBarProps) {
  return (
    <section className="save-bar" aria-label="Unsaved changes">
      {conflicts.length === 0 && taken.length === 0 ? undefined : (
        <div className="save-bar-news" role="alert">
          {taken.length === 0 ? undefined : (
            <p className="line">
              {capitalised(others)} has just changed {taken.join(", ").toLowerCase()}; you see it here.
              <Button size="compact-sm" variant="default" onClick={seen}>
                Understood
              </Button>
            </p>
          )}
          {conflicts.map((conflict) => (
            <Conflict key={conflict.key} conflict={conflict} others={others} />
          ))}
        </div>
      )}
      {changes === 0 && conflicts.length === 0 ? undefined : (
        <div className="save-bar-line">
          <p role="status">
            {plural(changes, "unsaved change")}
            {conflicts.length === 0 ? "" : `, ${plural(conflicts.length, "conflict")} to settle first`}
            {faults === 0 ? "" : `, ${faults} cannot be saved yet`} {firstFault}
          </p>
          <Button variant="default" onClick={discard}>
            Discard
          </Button>
          <Button disabled={faults > 0 || conflicts.length > 0 || changes === 0} onClick={review}>
            Review and save
          </Button>
        </div>
      )}
    </section>
  );
}

interface ConflictProps {
  readonly conflict: ShownConflict;
  readonly others: string;
}

function Conflict({ conflict: { name, mine, theirs, settle }, others }: ConflictProps) {
  return (
    <div className="conflict">
      <p>
        <b>{name}</b> was changed by {others} as well. From theirs to yours:
      </p>
      <ValueDiff before={theirs} after={mine} />
      <div className="card-acts">
        <Button size="compact-sm" variant="default" onClick={() => settle("theirs")}>
          Take theirs
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => settle("mine")}>
          Keep mine
        </Button>
      </div>
    </div>
  );
}
