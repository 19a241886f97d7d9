import type { numbers } from "@nest/protocol";
import { count, shortTime } from "../../shared/format/format.ts";
import { type Series, SeriesPanel } from "./series-panel.tsx";
import { successRate } from "./success-rate.ts";
import { timeTicks } from "./time-ticks.ts";

/** As many lines as can be told apart. */
const MOST_LINES = 5;
const PERCENT = [0, 50, 100];

export interface OverTimeProps {
  readonly found: numbers.NumbersReply;
  readonly file: string;
  /** Whether only some tasks are counted; the queue has no contributors and backends. */
  readonly hasFilter: boolean;
}

/** The figures over time, one panel each. */
export function OverTime({ found: { points, grain, backends }, file, hasFilter }: OverTimeProps) {
  const moments = points.map(({ from }) => ({ from, label: momentWords(from, grain) }));
  const of = (name: string, read: (point: numbers.Point) => number | undefined, tone?: Series["tone"]): Series => ({
    name,
    values: points.map(read),
    ...(tone === undefined ? {} : { tone }),
  });
  const failing = backends
    .filter(({ failed }) => failed > 0)
    .sort((a, b) => b.failed - a.failed)
    .slice(0, MOST_LINES);
  const shared = { moments, grain, file, format: count } as const;
  const average = (value: number) => count(Math.round(value * 10) / 10);
  return (
    <>
      <SeriesPanel
        {...shared}
        id="ended"
        title="How tasks ended"
        unit="tasks"
        shape="bars"
        series={[
          of("Completed", ({ completed }) => completed, "good"),
          of("No work needed", ({ no_work_needed }) => no_work_needed, "quiet"),
          of("Blocked", ({ blocked }) => blocked, "warn"),
          of("Failed", ({ failed }) => failed, "bad"),
        ]}
      />
      <SeriesPanel
        {...shared}
        id="waiting"
        title="Waiting time of relays"
        unit="from ready to a task"
        shape="lines"
        format={shortTime}
        ticksOf={timeTicks}
        series={[of("Median", ({ wait }) => wait?.median_ms), of("95th percentile", ({ wait }) => wait?.slow_ms)]}
      />
      <SeriesPanel
        {...shared}
        id="queue-length"
        title="Length of the queue"
        unit={hasFilter ? "issues, of everybody" : "issues"}
        shape="lines"
        format={average}
        series={[of("On offer", ({ queue }) => queue?.ready), of("Withheld", ({ queue }) => queue?.withheld)]}
      />
      <SeriesPanel
        {...shared}
        id="success"
        title="Success rate"
        unit="%"
        shape="lines"
        format={(value) => `${Math.round(value)} %`}
        ticksOf={() => PERCENT}
        series={[of("Completed of all that ended", successRate)]}
      />
      <SeriesPanel
        {...shared}
        id="verified"
        title="Pull requests"
        unit="tasks"
        shape="lines"
        series={[of("Completed", ({ completed }) => completed), of("Verified", ({ verified }) => verified)]}
      />
      <SeriesPanel
        {...shared}
        id="failures"
        title="Failures by kind"
        unit="tasks"
        shape="lines"
        series={[
          of("Environment", ({ failures }) => failures.environment),
          of("Task", ({ failures }) => failures.task),
          of("Out of time", ({ failures }) => failures.expired),
          of("Unspecified", ({ failures }) => failures.unspecified),
        ]}
      />
      {failing.length === 0 ? undefined : (
        <SeriesPanel
          {...shared}
          id="failing-backends"
          title="Failures by backend"
          unit="tasks"
          shape="lines"
          series={failing.map(({ backend }) => of(backend, ({ failed_by_backend: failed }) => failed[backend] ?? 0))}
        />
      )}
    </>
  );
}

/** An hour in the reader's time, a day in the hub's: days are counted in UTC. */
function momentWords(from: string, grain: "hour" | "day"): string {
  const date = new Date(from);
  if (grain === "day") return date.toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
  return date.toLocaleString("en-GB", { weekday: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
}
