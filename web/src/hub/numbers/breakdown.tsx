import { Button } from "@mantine/core";
import type { numbers } from "@nest/protocol";
import type { ReactNode } from "react";
import { saveAs } from "../../shared/files/save-as.ts";
import { count, shortTime } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { Empty } from "../../shared/states/states.tsx";
import { csvOf } from "./csv.ts";
import { NumberTable } from "./number-table.tsx";
import { successRate } from "./success-rate.ts";

export interface BreakdownProps {
  readonly id: string;
  readonly title: string;
  /** What a row is: `Repository`. */
  readonly what: string;
  readonly rows: readonly (numbers.Counts & { readonly name: string })[];
  /** How the name is shown, such as a link that filters by it. */
  readonly show: (name: string) => ReactNode;
  readonly file: string;
}

const columns: readonly (readonly [
  name: string,
  of: (row: numbers.Counts) => number | undefined,
  unit?: "ms" | "%",
])[] = [
  ["Assigned", ({ assigned }) => assigned],
  ["Completed", ({ completed }) => completed],
  ["Verified", ({ verified }) => verified],
  ["Success", successRate, "%"],
  ["No work needed", ({ no_work_needed }) => no_work_needed],
  ["Blocked", ({ blocked }) => blocked],
  ["Failed", ({ failed }) => failed],
  ["Wait p50", ({ wait }) => wait?.median_ms, "ms"],
  ["Wait p95", ({ wait }) => wait?.slow_ms, "ms"],
];

/** The sums of each repository, contributor or backend, those with the most tasks first. */
export function Breakdown({ id, title, what, rows, show, file }: BreakdownProps) {
  const save = () => {
    const head = [what, ...columns.map(([name, , unit]) => (unit === undefined ? name : `${name} (${unit})`))];
    saveAs(`${file}-${id}.csv`, csvOf([head, ...rows.map((row) => [row.name, ...columns.map(([, of]) => of(row))])]));
  };
  return (
    <Panel
      id={id}
      title={title}
      tools={
        <Button variant="default" size="compact-xs" onClick={save} aria-label={`CSV of ${title.toLowerCase()}`}>
          CSV
        </Button>
      }
    >
      {rows.length === 0 ? (
        <Empty>Nothing in this time.</Empty>
      ) : (
        <div className="chart">
          <NumberTable
            label={title}
            head={[what, ...columns.map(([name]) => name)]}
            rows={rows.map((row) => ({
              key: row.name,
              cells: [show(row.name), ...columns.map(([, of, unit]) => written(of(row), unit))],
            }))}
          />
        </div>
      )}
    </Panel>
  );
}

function written(value: number | undefined, unit: "ms" | "%" | undefined): string {
  if (value === undefined) return "–";
  if (unit === "ms") return shortTime(value);
  return unit === "%" ? `${Math.round(value)} %` : count(value);
}
