import type { nestAgents } from "@nest/protocol";
import { useServerNow } from "../../shared/call/server-time.ts";
import { duration } from "../../shared/format/format.ts";
import { Panel } from "../../shared/layout/panel.tsx";
import { Empty, Loading } from "../../shared/states/states.tsx";
import { endOfPause, isAtWork, nextTurnOf, stateOf } from "../agents/agent-words.ts";
import { AgentLink } from "../links/agent-link.tsx";
import { RunLink } from "../links/run-link.tsx";
import { useActionable, useLive } from "../live/live.ts";

/** Each agent in two lines: what it does now, or when it does something next. */
export function AgentsPanel() {
  const agents = useLive((live) => live.agents);
  const working = agents?.filter(isAtWork).length ?? 0;
  return (
    <Panel
      id="agents"
      title="Agents"
      tally={agents === undefined ? undefined : `${working} of ${agents.length} at work`}
    >
      {agents === undefined ? (
        <Loading />
      ) : agents.length === 0 ? (
        <Empty>No agents are configured.</Empty>
      ) : (
        <ul className="plain-list">
          {agents.map((agent) => (
            <AgentRow key={agent.name} agent={agent} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function AgentRow({ agent }: { readonly agent: nestAgents.NestAgent }) {
  const now = useServerNow();
  const { words, look } = stateOf(agent);
  const { name, run_id: run, working_on: what, running_since: since, now_line: line, pause, trouble } = agent;
  const next = nextTurnOf(agent, now, useActionable());
  return (
    <li>
      <p className="line">
        <b>
          <AgentLink name={name} />
        </b>
        <span className="state" data-state={look}>
          {words}
        </span>
      </p>
      {isAtWork(agent) ? (
        <>
          <p className="facts">
            <span>{run === undefined ? what : <RunLink id={run}>{what ?? "its run"}</RunLink>}</span>
            {since === undefined ? undefined : <span>for {duration(now - Date.parse(since))}</span>}
          </p>
          {line === undefined ? undefined : (
            <p className="now-line">
              <bdi>{line}</bdi>
            </p>
          )}
        </>
      ) : (
        <p className="facts">
          {trouble === undefined ? undefined : (
            <span data-tone="bad">
              <bdi>{trouble}</bdi>
            </span>
          )}
          {pause === undefined ? undefined : (
            <span>
              <bdi>{pause.reason}</bdi>, {endOfPause(pause, now)}
            </span>
          )}
          {next === undefined || pause !== undefined ? undefined : <span>next turn {next}</span>}
        </p>
      )}
    </li>
  );
}
