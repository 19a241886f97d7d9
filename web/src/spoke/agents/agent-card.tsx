import type { nestAgents } from "@nest/protocol";
import { Link } from "@tanstack/react-router";
import { useServerNow } from "../../shared/call/server-time.ts";
import { duration } from "../../shared/format/format.ts";
import { Fact, Facts } from "../../shared/layout/facts.tsx";
import { RunLink } from "../links/run-link.tsx";
import { useActionable } from "../live/live.ts";
import { OutcomeMark } from "../runs/outcome-mark.tsx";
import { useRefusal } from "../session/session.ts";
import { AgentActions } from "./agent-actions.tsx";
import { autonomyOf, endOfPause, isAtWork, nextTurnOf, stateOf } from "./agent-words.ts";
import { ScreenThumbnail } from "./screen-thumbnail.tsx";
import { SpendingBars } from "./spending-bars.tsx";

type NestAgent = nestAgents.NestAgent;

/** One agent: what it does now, what it did, what it may, what it used today, and what one can do with it. */
export function AgentCard({ agent }: { readonly agent: NestAgent }) {
  const now = useServerNow();
  const { name, backend, model, pause, trouble } = agent;
  const { words, look } = stateOf(agent);
  const next = nextTurnOf(agent, now, useActionable());
  const mayOperate = useRefusal("operate") === undefined;
  return (
    <section className="panel agent-card" id={`agent-${name}`} aria-labelledby={`agent-${name}-title`} tabIndex={-1}>
      <header className="panel-head">
        <h2 id={`agent-${name}-title`}>
          <bdi>{name}</bdi>{" "}
          <span className="tally">
            {backend}
            {model === undefined ? "" : ` · ${model}`}
          </span>
        </h2>
        <span className="state" data-state={look}>
          {words}
        </span>
      </header>
      <div className="agent-body">
        {trouble === undefined ? undefined : (
          <p className="notice" data-tone="bad">
            <bdi>{trouble}</bdi>
          </p>
        )}
        {pause === undefined ? undefined : (
          <p className="notice">
            Paused {endOfPause(pause, now)}: <bdi>{pause.reason}</bdi>
          </p>
        )}
        {isAtWork(agent) ? <AtWork agent={agent} now={now} /> : undefined}
        <Facts>
          <Fact name="Last run">
            <LastRun agent={agent} now={now} />
          </Fact>
          {next === undefined ? undefined : <Fact name="Next turn">{next}</Fact>}
          <Fact name="May">{autonomyOf(agent)}</Fact>
          {agent.restarts === 0 ? undefined : <Fact name="Restarts">{agent.restarts}</Fact>}
        </Facts>
        <SpendingBars spending={agent.spending} whose={name} />
        <AgentActions agent={agent} />
        <p className="agent-links">
          {mayOperate ? (
            <a href={`/terminal/?arg=${encodeURIComponent(agent.session)}`}>Terminal of {name}</a>
          ) : undefined}
          <Link to="/runs" search={{ agent: name } as never}>
            Runs of {name}
          </Link>
          <Link to="/ledger" search={{ agent: name } as never}>
            Ledger of {name}
          </Link>
        </p>
      </div>
    </section>
  );
}

function AtWork({ agent, now }: { readonly agent: NestAgent; readonly now: number }) {
  const { working_on: what, running_since: since, run_id: run, now_line: line, waits_for: waits } = agent;
  return (
    <div className="at-work">
      <p>
        {run === undefined ? <bdi>{what ?? "begins"}</bdi> : <RunLink id={run}>{what ?? "its run"}</RunLink>}
        {since === undefined ? undefined : <span className="soft"> for {duration(now - Date.parse(since))}</span>}
      </p>
      {waits === undefined ? undefined : (
        <p className="notice">
          It waits for <bdi>{waits}</bdi>.
        </p>
      )}
      <p className="now-line" title="The last line it printed">
        <bdi>{line ?? "…"}</bdi>
      </p>
      <ScreenThumbnail agent={agent} />
    </div>
  );
}

function LastRun({ agent: { last_run: last }, now }: { readonly agent: NestAgent; readonly now: number }) {
  if (last === undefined) return "none yet";
  return (
    <>
      <OutcomeMark outcome={last.outcome} />{" "}
      <RunLink id={last.id}>{duration(now - Date.parse(last.ended_at))} ago</RunLink>
      {last.summary === undefined ? undefined : (
        <span className="soft cut-two">
          <bdi>{last.summary}</bdi>
        </span>
      )}
    </>
  );
}
