import { html, type RouteRegistry, sendAppPage, sendPage } from "@nest/http";
import { NestError, type Random } from "@nest/kit";
import { nestTerminal } from "@nest/protocol";
import type { Visitor } from "../access/visitor.ts";
import { agentIn } from "./admission.ts";

export interface TerminalRouteDeps {
  readonly agents: () => readonly string[];
  /** The page that lists the agents. */
  readonly list: (agents: readonly string[]) => string;
  readonly notBuilt: () => string;
  readonly random: Random;
}

/** Serves the terminal's page, and the list of the agents whose terminals there are. */
export function serveTerminalPages(routes: RouteRegistry<Visitor>, deps: TerminalRouteDeps): void {
  const { agents, list, notBuilt, random } = deps;
  routes.serve(nestTerminal.terminalPage, ({ query, reply }) => {
    if (query.arg === undefined) return sendPage(reply, list(agents()), { isPassing: true });
    const agent = agentIn(query.arg);
    if (agent === undefined || !agents().includes(agent))
      throw new NestError("not_found", "this nest has no such agent");
    const withoutScripts = html`<p>A terminal in a browser needs scripts.</p>`;
    return sendAppPage(reply, { entry: "terminal", notBuilt, withoutScripts, random });
  });
}
