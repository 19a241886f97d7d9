import { Chip } from "@mantine/core";
import { nestEvents } from "@nest/protocol";
import { useMemo } from "react";
import { call } from "../../shared/call/call.ts";
import { usePages } from "../../shared/lists/use-pages.ts";
import { VirtualList } from "../../shared/lists/virtual-list.tsx";
import { useSearchState } from "../../shared/router/search.ts";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { useLive } from "../live/live.ts";
import { keyOfLine, newestFirst } from "../live/newest-first.ts";
import { ActivityLine } from "./activity-line.tsx";
import { ActivitySearch } from "./activity-search.ts";

const ROWS = 100;
const ROW_PX = 58;

/** What happened on this nest, newest first: as it happens, and as far back as one scrolls. */
export function Activity() {
  const [{ agent = "" }, show] = useSearchState(ActivitySearch);
  const names = useLive((live) => live.agents)?.map(({ name }) => name) ?? [];
  const fresh = useLive((live) => live.activity);
  const { pages, problem, again, more } = usePages(["activity", agent], (cursor, signal) =>
    call(nestEvents.activity, { query: { limit: ROWS, ...asked({ cursor, agent }) }, signal }),
  );
  const lines = useMemo(() => {
    const mine = fresh.filter((line) => agent === "" || line.agent === agent);
    return newestFirst(mine, pages?.flatMap((page) => page.activity) ?? []);
  }, [pages, fresh, agent]);
  const isWaiting = pages === undefined && lines.length === 0;
  return (
    <>
      <div className="page-head">
        <h1>Activity</h1>
      </div>
      <section className="panel tall" id="activity" aria-label="Activity">
        <fieldset className="reasons first" aria-label="Agents">
          {names.map((name) => (
            <Chip
              key={name}
              size="xs"
              variant="outline"
              checked={agent === name}
              onChange={(on) => show({ agent: on ? name : "" })}
            >
              {name}
            </Chip>
          ))}
        </fieldset>
        {problem !== undefined && lines.length === 0 ? (
          <LoadFailed problem={problem} again={again} />
        ) : isWaiting ? (
          <Loading rows={8} />
        ) : lines.length === 0 ? (
          <Empty>{agent === "" ? "Nothing has happened yet." : `Nothing has happened with ${agent} yet.`}</Empty>
        ) : (
          <VirtualList
            label="What happened"
            rows={lines}
            rowHeight={ROW_PX}
            keyOf={keyOfLine}
            onEnd={more}
            show={(line) => <ActivityLine line={line} />}
          />
        )}
      </section>
    </>
  );
}

/** The parts of a query that say something. */
function asked<Query extends Record<string, string>>(query: Query): Partial<Query> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== "")) as Partial<Query>;
}
