import { contribute } from "@nest/protocol";
import { useMemo } from "react";
import { call } from "../../shared/call/call.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { usePages } from "../../shared/lists/use-pages.ts";
import { VirtualList } from "../../shared/lists/virtual-list.tsx";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { useLive } from "../live/live.ts";
import { ActivityEntry } from "./activity-entry.tsx";

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
          show={(entry) => <ActivityEntry entry={entry} />}
        />
      )}
    </Panel>
  );
}
