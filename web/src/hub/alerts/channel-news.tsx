import { Button } from "@mantine/core";
import { type alerts, contributors } from "@nest/protocol";
import { useEffect, useRef } from "react";
import { call } from "../../shared/call/call.ts";
import type { Names } from "../../shared/drafts/difference.ts";
import { ValueDiff } from "../../shared/drafts/value-diff.tsx";
import { dateAndTime } from "../../shared/format/format.ts";

/** What somebody else made of a channel while its form was open. */
export interface ChannelNews {
  readonly name: string;
  /** Undefined where it is not known. */
  readonly by: { readonly actor: string; readonly at: string } | undefined;
  readonly before: alerts.AlertChannelConfig | undefined;
  /** Undefined where the channel is gone. */
  readonly after: alerts.AlertChannelConfig | undefined;
  /** What the fields are called. */
  readonly names: Names;
  /** Labels of the fields that are other in the form than they were before and are now. */
  readonly both: readonly string[];
}

/** Who saved a channel last, as the audit has it; undefined where that cannot be learned: the rest of the news does not wait for it. */
export async function lastSavedBy(name: string): Promise<ChannelNews["by"]> {
  const query = { limit: 20, action: "alert channel", subject: name };
  try {
    return (await call(contributors.audit, { query })).value.audit.find(({ subject }) => subject === name);
  } catch {
    return undefined;
  }
}

interface NewsProps {
  readonly news: ChannelNews;
  /** Forgets what was typed, and shows what is in force. */
  readonly takeTheirs: () => void;
}

/** Says in the form what somebody else saved, so that nobody overwrites it unseen. */
export function News({ news: { name, by, before, after, names, both }, takeTheirs }: NewsProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => ref.current?.focus(), []);
  const who = by === undefined ? "Somebody" : by.actor;
  const did = after === undefined ? "removed" : before === undefined ? "added a channel of the name" : "changed";
  return (
    <div className="notice channel-news" role="alert" tabIndex={-1} ref={ref}>
      <p>
        Nothing was saved: <bdi>{who}</bdi> {did} <bdi>{name}</bdi> meanwhile
        {by === undefined ? "" : ` (${dateAndTime(by.at)})`}. What you typed is still here.
      </p>
      {after === undefined || before === undefined ? undefined : (
        <ValueDiff before={before} after={after} names={names} />
      )}
      {both.length === 0 ? undefined : <p>You both changed: {both.join(", ")}. The form has yours.</p>}
      <p>{after === undefined ? "Save adds it again." : "Save puts what the form shows in the place of theirs."}</p>
      {after === undefined ? undefined : (
        <Button size="compact-sm" variant="default" onClick={takeTheirs}>
          Take theirs
        </Button>
      )}
    </div>
  );
}
