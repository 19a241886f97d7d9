import "./throughput.css";
import { SegmentedControl } from "@mantine/core";
import { operations } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../shared/call/call.ts";
import { count, plural, shortTime } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { LoadFailed, Loading } from "../../shared/states/states.tsx";
import { HourBars } from "./hour-bars.tsx";

const spans = { day: 24, week: 168 } as const;

/** Throughput by the hour, with its sums in words and as a table for whoever does not see the bars. */
export function ThroughputPanel() {
  const [span, setSpan] = useState<keyof typeof spans>("day");
  const { data, error, refetch } = useQuery({
    queryKey: ["history"],
    queryFn: async ({ signal }) => (await call(operations.history, { signal })).value,
  });
  const hours = data?.hours.slice(-spans[span]) ?? [];
  const wait = data?.ready_to_assign;
  const sum = (field: "assigned" | "completed" | "verified" | "failed") =>
    hours.reduce((all, hour) => all + hour[field], 0);
  const ended = sum("completed") + sum("failed");
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
      {error !== null && data === undefined ? (
        <LoadFailed problem={error} again={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <div className="chart">
          <dl className="legend">
            <Sum name="Assigned" value={sum("assigned")} />
            <Sum name="Completed" value={sum("completed")} swatch="good" />
            <Sum name="Failed or expired" value={sum("failed")} swatch="bad" />
            <Sum name="Verified" value={sum("verified")} />
            <div>
              <dt>Good end</dt>
              <dd>{ended === 0 ? "–" : `${Math.round((100 * sum("completed")) / ended)} %`}</dd>
            </div>
          </dl>
          <HourBars hours={hours} />
          {wait === undefined ? undefined : (
            <p className="facts">
              From ready to a task, in the last hour: {shortTime(wait.median_ms)} in the middle,{" "}
              {shortTime(wait.slow_ms)} for the slowest twentieth, {plural(wait.count, "task")}
            </p>
          )}
        </div>
      )}
    </Panel>
  );
}

function Sum({ name, value, swatch }: { readonly name: string; readonly value: number; readonly swatch?: string }) {
  return (
    <div>
      <dt data-swatch={swatch}>{name}</dt>
      <dd>{count(value)}</dd>
    </div>
  );
}
