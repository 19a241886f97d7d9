import { join } from "node:path";
import type { Choices } from "./choices.ts";
import type { Place } from "./place.ts";

export interface Addresses {
  readonly hubUrl: string;
  readonly spokeUrl: string;
  /** 0 = any free port. The spoke picks it, so it is not known here and not announced. */
  readonly terminalPort: number;
  /** Whether the browser app was built; without it the app's addresses are not announced. */
  readonly hasBrowserApp: boolean;
}

/** What is running and where, in plain words. */
export function announcement(
  choices: Choices,
  place: Pick<Place, "login" | "words">,
  { hubUrl, spokeUrl, terminalPort, hasBrowserApp }: Addresses,
): string {
  const agent = agentWords(choices);
  const relay = choices.relay
    ? `${place.login}, with ${agent}${choices.interactive ? " in tmux (the first line of relay.log says how to watch it)" : ""}`
    : "not started (-no-relay)";
  const terminal = terminalPort === 0 ? "" : `, terminal on ${terminalPort}`;
  const again = choices.served.kind === "demo" ? " (or begin anew with -fresh)" : "";
  const operations = hasBrowserApp
    ? `${hubUrl}/operations   what an admin does; sign in as ${place.login}`
    : "could not be built; npm run build says why";
  return `
Nest is running.

  hub         ${hubUrl}   watch issues become pull requests
  operations  ${operations}
  spoke       ${spokeUrl}${hasBrowserApp ? "/overview" : ""}   one team's nest and its agents; sign in as ${place.login} to steer them${terminal}
  code host   ${place.words}
  relay       ${relay}

  data        ${choices.root}
  logs        ${join(choices.root, "logs")}

Ctrl-C stops everything; the same command goes on where it was${again}.

`;
}

/** What does the work, for people. */
export function agentWords({ backend, model }: Choices): string {
  return backend === undefined ? "the demo agent" : [backend, model].filter(Boolean).join(" ");
}
