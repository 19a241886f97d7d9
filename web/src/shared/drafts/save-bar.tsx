import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { capitalised, plural } from "../format/format.ts";
import { writtenValue } from "./difference.ts";
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
  /** Unsaved changes of what somebody else has taken away, with what they were to be. */
  readonly dropped: readonly { readonly name: string; readonly value: unknown }[];
  /** A save was refused because others had saved. */
  readonly isOutdated: boolean;
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
  dropped,
  isOutdated,
  seen,
  discard,
  review,
}: SaveBarProps) {
  const news = [
    ...(isOutdated
      ? [`Nothing was saved: ${others} saved meanwhile, and that was read. Look at it, and save again.`]
      : []),
    ...(taken.length === 0
      ? []
      : [`${capitalised(others)} has just changed ${taken.join(", ").toLowerCase()}; you see it here.`]),
    ...(dropped.length === 0 ? [] : [droppedWords(dropped, others)]),
  ];
  return (
    <section className="save-bar" aria-label="Unsaved changes">
      {conflicts.length === 0 && news.length === 0 ? undefined : (
        <div className="save-bar-news" role="alert">
          {news.length === 0 ? undefined : (
            <div className="line">
              <p>{news.join(" ")}</p>
              <Button size="compact-sm" variant="default" onClick={seen}>
                Understood
              </Button>
            </div>
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

function droppedWords(dropped: SaveBarProps["dropped"], others: string): string {
  const changes = dropped.map(({ name, value }) => `${name} (${writtenValue(value)})`).join(", ");
  const [are, they] = dropped.length === 1 ? ["is", "it was"] : ["are", "they were"];
  const what = plural(dropped.length, "unsaved change");
  return `${what} of yours ${are} dropped, because ${others} removed what ${they} for: ${changes}.`;
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
