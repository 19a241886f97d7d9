import { Empty, Loading } from "../../shared/states/states.tsx";
import { useLive } from "../live/live.ts";
import { AgentCard } from "./agent-card.tsx";

/** Every agent of this nest, live. */
export function Agents() {
  const agents = useLive((live) => live.agents);
  return (
    <>
      <div className="page-head">
        <h1>Agents</h1>
      </div>
      {agents === undefined ? (
        <Loading rows={6} />
      ) : agents.length === 0 ? (
        <div className="panel">
          <Empty>
            No agents are configured. The owner names them under <code>agents</code> in the settings.
          </Empty>
        </div>
      ) : (
        <div className="agent-cards">
          {agents.map((agent) => (
            <AgentCard key={agent.name} agent={agent} />
          ))}
        </div>
      )}
    </>
  );
}
