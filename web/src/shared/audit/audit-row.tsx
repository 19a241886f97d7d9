import "./audit.css";
import type { ReactNode } from "react";
import type { Names } from "../drafts/difference.ts";
import { ValueDiff } from "../drafts/value-diff.tsx";
import { dateAndTime } from "../format/format.ts";

export interface AuditRowProps {
  readonly at: string;
  readonly actor: string;
  /** What was done, in words. */
  readonly words: string;
  readonly tone?: string | undefined;
  /** Whom or what it was done to. */
  readonly subject?: ReactNode;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly names?: Names;
}

/** Who did what and when, with the values on either side where there are any. */
export function AuditRow({ at, actor, words, tone, subject, before, after, names = {} }: AuditRowProps) {
  return (
    <div className="audit-row">
      <p>
        <time dateTime={at}>{dateAndTime(at)}</time>{" "}
        <b>
          <bdi>{actor}</bdi>
        </b>{" "}
        <span className="mark" data-tone={tone}>
          {words}
        </span>{" "}
        {subject === undefined ? undefined : <bdi>{subject}</bdi>}
      </p>
      {isNothing(before) && isNothing(after) ? undefined : <ValueDiff before={before} after={after} names={names} />}
    </div>
  );
}

/** Whether there is no value to show: an act that changes no value, as a pause, is written down with empty ones. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}
