import "./find-issues.css";
import { Checkbox } from "@mantine/core";
import { contribute } from "@nest/protocol";
import { useRef, useState } from "react";
import { call } from "../../shared/call/call.ts";
import { beginningOf, endOf } from "../../shared/filters/days.ts";
import { ExportButtons } from "../../shared/filters/export-buttons.tsx";
import { ViewsMenu } from "../../shared/filters/views-menu.tsx";
import { plural } from "../../shared/format/format.ts";
import { ListPage } from "../../shared/lists/list-page.tsx";
import { findLostFocus } from "../../shared/lists/lost-focus.ts";
import { usePages } from "../../shared/lists/use-pages.ts";
import { Crumbs } from "../../shared/router/crumbs.tsx";
import { useSearchState } from "../../shared/router/search.ts";
import { useIsAdmin } from "../../shared/session/session.ts";
import { LinkedText } from "../issues/linked-text.tsx";
import { IssueLine } from "../operations/issue-line.tsx";
import { FindSearch } from "./find-search.ts";
import { IssueFacets } from "./issue-facets.tsx";
import { SelectedBar } from "./selected-bar.tsx";
import { firstOf, MOST_SELECTED, rangeToggled, toggled } from "./selection.ts";

const ROWS = 200;
const ROW_PX = 74;
const nothing: ReadonlySet<string> = new Set();

/** Every issue that the hub knows, on offer or not: found by facets that the address keeps, and acted on many at a time. */
export function FindIssues() {
  const isAdmin = useIsAdmin();
  const [search, show] = useSearchState(FindSearch);
  const [selected, select] = useState(nothing);
  /** The row that was chosen last, where a range begins. */
  const anchor = useRef<string>(undefined);
  /** Whether the click that changes a box now is one with Shift: the change itself does not say so. */
  const isRange = useRef(false);
  const filter = filterOf(search);
  const list = usePages(["queue", "found", filter], (cursor, signal) =>
    call(contribute.queue, {
      query: { limit: ROWS, cursor, ...(cursor === "" ? ({ facets: "yes" } as const) : {}), ...filter },
      signal,
    }),
  );
  const [first] = list.pages ?? [];
  const found = first?.matching;
  const selectAll = async () => select(firstOf(await keysOf(filter)));
  const clear = () => {
    select(nothing);
    // The buttons for what is selected go away, and the focus with them.
    requestAnimationFrame(findLostFocus);
  };
  const choose = (key: string) => {
    const keys = list.pages?.flatMap((page) => page.queue.map((item) => item.key)) ?? [];
    const from = isRange.current ? anchor.current : undefined;
    select(from === undefined ? toggled(selected, key) : rangeToggled(selected, keys, { from, to: key }));
    anchor.current = key;
  };
  return (
    <>
      <Crumbs pages={[["/operations", "Operations"]]} />
      <ListPage
        id="issues"
        title="Find issues"
        tools={
          <div className="controls">
            <ViewsMenu />
            {isAdmin ? (
              <ExportButtons path={contribute.exportQueue.path} filter={filter} what="these issues" />
            ) : undefined}
          </div>
        }
        search={{
          label: "Search issues",
          placeholder: "Name, title, label or login",
          maxLength: 200,
          value: search.q ?? "",
          change: (q) => show({ q: q || undefined }),
        }}
        above={
          <>
            <IssueFacets search={search} show={show} facets={first?.facets} />
            {isAdmin && found !== undefined && found > 0 ? (
              <SelectedBar selected={selected} found={found} selectAll={selectAll} clear={clear} />
            ) : undefined}
          </>
        }
        list={list}
        rowsOf={(page) => page.queue}
        empty="No issue is like that."
        label="Issues"
        rowHeight={ROW_PX}
        keyOf={({ key }) => key}
        show={(item) => (
          <div className="queue-row found-row">
            {isAdmin ? (
              <Checkbox
                aria-label={`Select ${item.key}`}
                checked={selected.has(item.key)}
                onClick={({ shiftKey }) => {
                  isRange.current = shiftKey;
                }}
                onChange={() => choose(item.key)}
              />
            ) : undefined}
            <div className="issue">
              <IssueLine item={item} />
              <p className="because cut">
                {item.withheld === undefined ? "on offer" : <LinkedText text={item.withheld.because} />}
              </p>
            </div>
          </div>
        )}
        below={<p className="soft small count-line">{found === undefined ? "" : plural(found, "issue")}</p>}
      />
    </>
  );
}

function filterOf({ stands, since, until, ...texts }: FindSearch): contribute.QueueFilter {
  const standing = stands === undefined ? { with: "withheld" as const } : stands === "offer" ? {} : { reason: stands };
  return { ...texts, ...standing, since: beginningOf(since), until: endOf(until) };
}

/** The names of the issues that the filters find, as many as can be selected. */
async function keysOf(filter: contribute.QueueFilter): Promise<readonly string[]> {
  const keys: string[] = [];
  let cursor: string | undefined;
  do {
    const { value } = await call(contribute.queue, { query: { limit: 500, cursor, ...filter } });
    keys.push(...value.queue.map(({ key }) => key));
    cursor = value.next_cursor;
  } while (cursor !== undefined && keys.length < MOST_SELECTED);
  return keys;
}
