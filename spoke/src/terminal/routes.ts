import { type Html, html, type RouteRegistry, sendAppPage, sendPage } from "@nest/http";
import { NestError, type Random } from "@nest/kit";
import { nestTerminal } from "@nest/protocol";
import type { Visitor } from "../access/visitor.ts";
import { agentIn } from "./admission.ts";

export interface TerminalRouteDeps {
  readonly agents: () => readonly string[];
  /** The page that lists the agents. */
  readonly list: (agents: readonly string[], visitor: Visitor) => string;
  /** What stands above a terminal: the bar of the nest's pages, where they are at the same address. */
  readonly bar: (visitor: Visitor) => Html | undefined;
  readonly notBuilt: () => string;
  readonly random: Random;
}

/** Serves the terminal's page, and the list of the agents whose terminals there are. */
export function serveTerminalPages(routes: RouteRegistry<Visitor>, deps: TerminalRouteDeps): void {
  const { agents, list, bar, notBuilt, random } = deps;
  routes.serve(nestTerminal.terminalPage, ({ query, reply, viewer }) => {
    if (query.arg === undefined) return sendPage(reply, list(agents(), viewer), { isPassing: true });
    const agent = agentIn(query.arg);
    if (agent === undefined || !agents().includes(agent))
      throw new NestError("not_found", "this nest has no such agent");
    const withoutScripts = html`<p>A terminal in a browser needs scripts.</p>`;
    const body = bar(viewer);
    return sendAppPage(
      reply,
      { entry: "terminal", notBuilt, withoutScripts, random },
      { shell: body && { body, viewer: "operator" } },
    );
  });
}
