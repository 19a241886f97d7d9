import { contribute, describeActivity } from "@nest/protocol";
import { useMemo } from "react";
import { call } from "../../shared/call/call.ts";
import { useServerNow } from "../../shared/call/server-time.ts";
import { duration, safeHref } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { VirtualList } from "../../shared/lists/virtual-list.tsx";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { useLive } from "../live/live.ts";

const ROWS = 100;
const ROW_PX = 58;

/** What happened, newest first: from the stream as it happens, and from the hub as far back as one scrolls. */
export function ActivityPanel() {
  const fresh = useLive((live) => live.activity);
  const { pages, problem, again, more } = usePages(["activity"], (cursor, signal) =>
    call(contribute.activity, { query: { limit: ROWS, cursor }, signal }),
  );
  const entries = useMemo(() => {
    const byId = new Map([...(pages?.flatMap((page) => page.activity) ?? []), ...fresh].map((one) => [one.id, one]));
    return [...byId.values()].sort((a, b) => b.id - a.id);
  }, [pages, fresh]);
  return (
    <Panel id="activity" title="Activity">
      {problem !== undefined && entries.length === 0 ? (
        <LoadFailed problem={problem} again={again} />
      ) : pages === undefined && entries.length === 0 ? (
        <Loading />
      ) : entries.length === 0 ? (
        <Empty>Nothing has happened yet.</Empty>
      ) : (
        <VirtualList
          label="What happened"
          rows={entries}
          rowHeight={ROW_PX}
          keyOf={({ id }) => id}
          onEnd={more}
          show={(entry) => <Entry entry={entry} />}
        />
      )}
    </Panel>
  );
}

function Entry({ entry }: { readonly entry: contribute.ActivityEntry }) {
  const now = useServerNow();
  const href = safeHref(entry.url);
  const { tone, before, about: issue, after, detail } = describeActivity(entry);
  const about = issue ?? nameOf(href);
  return (
    <div className="entry" data-tone={tone}>
      <p className="cut-two">
        <b>
          <bdi>{entry.username}</bdi>
        </b>{" "}
        <bdi>{before}</bdi>
        {about === undefined ? undefined : " "}
        {about === undefined ? undefined : href === undefined ? (
          <bdi>{about}</bdi>
        ) : (
          <a href={href} target="_blank" rel="noopener noreferrer">
            <bdi>{about}</bdi>
          </a>
        )}
        {after === "" ? undefined : ` ${after}`}
        {detail === undefined ? undefined : (
          <span className="soft">
            : <bdi>{detail}</bdi>
          </span>
        )}
      </p>
      <p className="facts cut">
        <time dateTime={entry.timestamp}>{duration(now - Date.parse(entry.timestamp))} ago</time>
        {entry.title === undefined ? undefined : <bdi>{entry.title}</bdi>}
      </p>
    </div>
  );
}

/** The pull request or issue that an address leads to, as `owner/name#number`. */
function nameOf(href: string | undefined): string | undefined {
  const [, repo, number] = /([^/]+\/[^/]+)\/(?:pull|issues)\/(\d+)$/.exec(href ?? "") ?? [];
  return repo === undefined ? undefined : `${repo}#${number}`;
}
