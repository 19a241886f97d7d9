import { Button, SegmentedControl } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { ListPanel } from "../src/shared/lists/list-panel.tsx";
import { PagedList } from "../src/shared/lists/paged-list.tsx";
import type { Pages } from "../src/shared/lists/use-pages.ts";
import type { ShownPart } from "./specimen.tsx";
import { aProblem } from "./state-parts.tsx";

type Page = { readonly rows: readonly string[] };

function aList(rows: readonly string[] | undefined, problem?: unknown): Pages<Page> {
  return { pages: rows === undefined ? undefined : [{ rows }], problem, again: () => {}, more: undefined };
}

function Shown({ list }: { readonly list: Pages<Page> }): ReactNode {
  return (
    <PagedList
      list={list}
      rowsOf={(page) => page.rows}
      empty="No row is like that."
      label="Rows"
      rowHeight={52}
      keyOf={(row) => row}
      show={(row) => (
        <div className="queue-row">
          <div className="issue">
            <p className="cut">
              <a href="#row">{row}</a>
            </p>
          </div>
          <Button size="compact-sm" variant="default" aria-label={`Take ${row}`}>
            Take
          </Button>
        </div>
      )}
    />
  );
}

function Filtered({ rows }: { readonly rows: readonly string[] }) {
  const [q, setQ] = useState("");
  const [kind, setKind] = useState("all");
  const wanted = rows.filter((row, nth) => row.includes(q) && (kind === "all" || nth % 2 === 0));
  return (
    <ListPanel
      id="rows"
      title="Rows"
      tally={String(rows.length)}
      filters={<SegmentedControl aria-label="Which rows" value={kind} onChange={setKind} data={["all", "even"]} />}
      search={{ label: "Search rows", placeholder: "Part of a name", value: q, change: setQ }}
    >
      <Shown list={aList(wanted)} />
    </ListPanel>
  );
}

const numbered = (count: number) => Array.from({ length: count }, (_, nth) => `Row number ${nth + 1}`);

export const listParts: readonly ShownPart[] = [
  {
    name: "Lists",
    states: {
      "search, filter, list": <Filtered rows={numbered(12)} />,
      loading: <Shown list={aList(undefined)} />,
      error: <Shown list={aList(undefined, aProblem)} />,
      empty: <Shown list={aList([])} />,
      "long: 10,000 rows": <Shown list={aList(numbered(10_000))} />,
      "long names": <Shown list={aList([`Row ${"with a name that goes on ".repeat(12)}`])} />,
    },
  },
];
