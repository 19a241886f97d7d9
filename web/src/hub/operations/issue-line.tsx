import type { contribute } from "@nest/protocol";
import { useServerNow } from "../../shared/call/server-time.ts";
import { duration, safeHref } from "../../shared/format/format.ts";
import { Labels } from "../../shared/lists/labels.tsx";
import { IssueLink } from "../issues/issue-link.tsx";

/** An issue in two lines of fixed height: its title, then its other facts. */
export function IssueLine({ item }: { readonly item: contribute.QueueItem }) {
  const { title, url, repo, number, labels, author, updated_at, ordered } = item;
  const now = useServerNow();
  const href = safeHref(url);
  return (
    <div className="issue">
      <p className="cut">
        {href === undefined ? (
          <bdi>{title}</bdi>
        ) : (
          <a href={href} target="_blank" rel="noopener noreferrer" title={title}>
            <bdi>{title}</bdi>
          </a>
        )}
      </p>
      <p className="facts issue-facts">
        <span className="labelled">
          <span>
            <IssueLink repo={repo} number={number} />
          </span>
          {ordered === true ? <span className="mark">pinned</span> : undefined}
          <Labels labels={labels} />
        </span>
        <span className="wide-only">
          by <bdi>{author}</bdi>
        </span>
        <span className="wide-only">
          <span className="hidden">changed </span>
          {duration(now - Date.parse(updated_at))} ago
        </span>
      </p>
    </div>
  );
}
