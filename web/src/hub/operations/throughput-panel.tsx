import "./throughput.css";
import { SegmentedControl } from "@mantine/core";
import { operations } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import type { Tone } from "../../shared/charts/stacked-bars.tsx";
import { count, plural, shortTime } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import { HourBars } from "./hour-bars.tsx";

const spans = { day: 24, week: 168 } as const;

/** How many tasks ended and how, by the hour and in sums. */
export function ThroughputPanel() {
  const [span, setSpan] = useState<keyof typeof spans>("day");
  const { data, error, refetch } = useQuery({
    queryKey: ["history"],
    queryFn: async ({ signal }) => (await call(operations.history, { maxAgeSeconds: 1, signal })).value,
  });
  const hours = data?.hours.slice(-spans[span]) ?? [];
  const wait = data?.ready_to_assign;
  const done = span === "week" ? data?.week : data?.day;
  return (
    <Panel
      id="throughput"
      title="Throughput"
      tools={
        <SegmentedControl
          size="xs"
          aria-label="Time span"
          value={span}
          onChange={(value) => setSpan(value === "week" ? "week" : "day")}
          data={[
            { value: "day", label: "24 h" },
            { value: "week", label: "7 d" },
          ]}
        />
      }
    >
      {(error !== null && data === undefined) || done === undefined ? (
        <LoadFailed problem={error} again={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <div className="chart">
          <dl className="legend">
            <Sum name="Assigned" value={done.assigned} />
            <Sum name="Completed" value={done.completed} swatch="good" />
            <Sum name="Verified" value={done.verified} />
            <Sum name="No work needed" value={done.no_work_needed} swatch="quiet" />
            <Sum name="Blocked" value={done.blocked} swatch="warn" />
            <Sum name="Failed or expired" value={done.failed} swatch="bad" />
            <div title="Completed, of all tasks that ended">
              <dt>Success rate</dt>
              <dd>{successRate(done)}</dd>
            </div>
          </dl>
          <HourBars hours={hours} />
          {wait === undefined ? undefined : (
            <p className="facts">
              Relays waited {shortTime(wait.median_ms)} for a task in the last hour (median; 95th percentile{" "}
              {shortTime(wait.slow_ms)}; {plural(wait.count, "task")})
            </p>
          )}
        </div>
      )}
    </Panel>
  );
}

/** The share of completed tasks among all that ended: `72 %`. */
function successRate({ completed, no_work_needed, blocked, failed }: operations.Done): string {
  const ended = completed + no_work_needed + blocked + failed;
  return ended === 0 ? "–" : `${Math.round((100 * completed) / ended)} %`;
}

function Sum({ name, value, swatch }: { readonly name: string; readonly value: number; readonly swatch?: Tone }) {
  return (
    <div>
      <dt data-swatch={swatch}>{name}</dt>
      <dd>{count(value)}</dd>
    </div>
  );
}
