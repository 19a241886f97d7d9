import { Link } from "@tanstack/react-router";
import { Counter, Counters } from "../../shared/layout/counters.tsx";
import { Panel } from "../../shared/layout/panel.tsx";
import { Empty, Loading } from "../../shared/states/states.tsx";
import { ActivityLine } from "../activity/activity-line.tsx";
import { usesOf } from "../agents/spending.ts";
import { useLive } from "../live/live.ts";
import { keyOfLine } from "../live/newest-first.ts";
import { AgentsPanel } from "./agents-panel.tsx";
import { QueueChart, RunCharts } from "./charts.tsx";
import { GovernorPanel } from "./governor-panel.tsx";
import { AboutPanel } from "./hub-link.tsx";
import { QueueBands } from "./queue-bands.tsx";

const LATEST = 8;

/** The nest on one page: mode, queue, agents, what was used today, how it went, what happened last. */
export function Overview() {
  const governor = useLive((live) => live.governor);
  // Until something is known nothing is shown as used.
  const uses = governor === undefined ? [] : usesOf({ ...governor.spending, limits: governor.spending.limits ?? {} });
  return (
    <>
      <div className="page-head">
        <h1>Overview</h1>
      </div>
      <Counters>
        <Counter name="Mode" value={governor?.modes.length === 0 ? "none" : governor?.mode} />
        <Counter name="Actionable" value={governor?.actionable} />
        <Counter name="Held back" value={governor?.held_back} />
        <Counter name="Agents at work" value={governor?.running} />
        {uses.map(({ name, used, limit }) => (
          <Counter key={name} name={`${name} today`} value={limit === undefined ? used : `${used} of ${limit}`} />
        ))}
      </Counters>
      <div className="columns">
        <div className="stack">
          {governor === undefined ? (
            <Panel id="governor" title="Governor">
              <Loading />
            </Panel>
          ) : (
            <GovernorPanel governor={governor} />
          )}
          <QueueBands />
          <QueueChart />
          <RunCharts />
        </div>
        <div className="stack">
          <AgentsPanel />
          <AboutPanel />
          <LatestActivity />
        </div>
      </div>
    </>
  );
}

function LatestActivity() {
  const lines = useLive((live) => live.activity);
  const isKnown = useLive((live) => live.governor !== undefined);
  return (
    <Panel id="activity" title="Latest activity" tools={<Link to="/activity">All of it</Link>}>
      {lines.length > 0 ? (
        lines.slice(0, LATEST).map((line) => <ActivityLine key={keyOfLine(line)} line={line} />)
      ) : isKnown ? (
        <Empty>Nothing has happened yet.</Empty>
      ) : (
        <Loading />
      )}
    </Panel>
  );
}
