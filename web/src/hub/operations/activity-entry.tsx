import { type contribute, describeActivity } from "@nest/protocol";
import { Link } from "@tanstack/react-router";
import { useServerNow } from "../../shared/call/server-time.ts";
import { duration, safeHref } from "../../shared/format/format.ts";
import { ContributorName } from "../contributors/contributor-name.tsx";
import { IssueNamed } from "../issues/issue-link.tsx";
import { nameOfAddress } from "../issues/linked-pieces.ts";
import { LinkedText } from "../issues/linked-text.tsx";

interface ActivityEntryProps {
  readonly entry: contribute.ActivityEntry;
  /** Whether the line leads to its task; not on the task's own page. */
  readonly isLinked?: boolean;
}

/** One thing that happened: who, what, about which issue, how long ago. */
export function ActivityEntry({ entry, isLinked = true }: ActivityEntryProps) {
  const now = useServerNow();
  const href = safeHref(entry.url);
  const { tone, before, about: issue, after, detail, pullRequest } = describeActivity(entry);
  const about = issue ?? nameOfAddress(href);
  return (
    <div className="entry" data-tone={tone}>
      <p className="cut-two">
        <b>
          {/* A line about a task is a contributor's. */}
          {entry.task_id === undefined ? <bdi>{entry.username}</bdi> : <ContributorName login={entry.username} />}
        </b>{" "}
        <bdi>{before}</bdi>
        {about === undefined ? undefined : " "}
        {about === undefined ? undefined : entry.task !== undefined ? (
          <IssueNamed name={entry.task} />
        ) : href === undefined ? (
          <bdi>{about}</bdi>
        ) : (
          <a href={href} target="_blank" rel="noopener noreferrer">
            <bdi>{about}</bdi>
          </a>
        )}
        {after === "" ? undefined : ` ${after}`}
        {detail === undefined ? undefined : (
          <span className="soft">
            : <LinkedText text={detail} />
          </span>
        )}
      </p>
      <p className="facts cut">
        <time dateTime={entry.timestamp}>{duration(now - Date.parse(entry.timestamp))} ago</time>
        {entry.title === undefined ? undefined : <bdi>{entry.title}</bdi>}
        {href === undefined || entry.task === undefined ? undefined : (
          <a href={href} target="_blank" rel="noopener noreferrer">
            {pullRequest === undefined ? "at the code host" : "pull request"}
          </a>
        )}
        {entry.task_id === undefined || !isLinked ? undefined : (
          <Link to="/tasks/$id" params={{ id: entry.task_id } as never}>
            task
          </Link>
        )}
      </p>
    </div>
  );
}
