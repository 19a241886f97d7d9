import { nestRuns, nestWork } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../shared/call/call.ts";
import { serverNow } from "../../shared/call/server-time.ts";
import { StackedBars } from "../../shared/charts/stacked-bars.tsx";
import { Panel } from "../../shared/layout/panel.tsx";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { outcomeBars, tokenBars } from "./day-bars.ts";
import { queueBars } from "./queue-bars.ts";

const QUEUE_DAYS = 7;
const RUN_DAYS = 14;

/** How long the queue was over the last week. */
export function QueueChart() {
  const { data, error, refetch } = useQuery({
    queryKey: ["queue-history"],
    queryFn: async ({ signal }) => (await call(nestWork.workHistory, { query: { days: QUEUE_DAYS }, signal })).value,
  });
  return (
    <Panel id="queue-over-time" title="Queue over time">
      {error !== null && data === undefined ? (
        <LoadFailed problem={error} again={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : data.points.length === 0 ? (
        <Empty>The repositories were not read yet.</Empty>
      ) : (
        <div className="pad">
          <Legend of={{ Actionable: "good", "Held back": "quiet" }} />
          <StackedBars label="Issues in the queue" bars={queueBars(data.points, serverNow(), QUEUE_DAYS)} />
        </div>
      )}
    </Panel>
  );
}

/** Runs of the last two weeks by how they ended, and what they used. */
export function RunCharts() {
  const { data, error, refetch } = useQuery({
    queryKey: ["run-days"],
    queryFn: async ({ signal }) => (await call(nestRuns.runDays, { query: { days: RUN_DAYS }, signal })).value,
  });
  const days = data?.days ?? [];
  const isUsageReported = days.some(({ tokens, cost_usd: cost }) => tokens > 0 || cost > 0);
  return (
    <Panel id="runs-a-day" title="Runs a day">
      {error !== null && data === undefined ? (
        <LoadFailed problem={error} again={() => void refetch()} />
      ) : data === undefined ? (
        <Loading />
      ) : days.every(({ runs }) => runs === 0) ? (
        <Empty>No run in the last two weeks.</Empty>
      ) : (
        <div className="pad chart-stack">
          <Legend of={{ "Done well": "good", Blocked: "warn", Failed: "bad", "Nothing to do, stopped": "quiet" }} />
          <StackedBars label="Runs a day" bars={outcomeBars(days)} />
          <h3>Tokens a day</h3>
          {isUsageReported ? (
            <StackedBars label="Tokens a day" bars={tokenBars(days)} />
          ) : (
            <p className="soft small">The agents' CLIs reported no tokens and no cost in these days.</p>
          )}
        </div>
      )}
    </Panel>
  );
}

function Legend({ of }: { readonly of: Readonly<Record<string, string>> }) {
  return (
    <ul className="chart-legend">
      {Object.entries(of).map(([words, tone]) => (
        <li key={words} data-swatch={tone}>
          {words}
        </li>
      ))}
    </ul>
  );
}
