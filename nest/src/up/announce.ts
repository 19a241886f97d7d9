import { join } from "node:path";
import type { Choices } from "./choices.ts";
import type { Hosted } from "./hosted.ts";
import type { Place } from "./place.ts";

export interface Addresses {
  readonly hubUrl: string;
  readonly spokeUrl: string;
  /** 0 = any free port. The spoke picks it, so it is not known here and not announced. */
  readonly terminalPort: number;
  /** Whether the browser app was built; without it the app's addresses are not announced. */
  readonly hasBrowserApp: boolean;
  /** Whether nests can be created here; undefined: nobody asked for that. */
  /** What shows the agent in its tmux session; undefined without one. */
  readonly attach?: string | undefined;
  readonly hosted?: Pick<Hosted, "missing" | "isBuilding"> | undefined;
}

/** What is running and where, in plain words. */
export function announcement(
  choices: Choices,
  place: Pick<Place, "login" | "words" | "hubToken">,
  { hubUrl, spokeUrl, terminalPort, hasBrowserApp, hosted, attach }: Addresses,
): string {
  const agent = agentWords(choices);
  const relay = choices.relay
    ? `${place.login}, with ${agent}${choices.interactive ? " in tmux" : ""}${attach === undefined ? "" : `\n              watch it, and type: ${attach}`}`
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
${hosted === undefined ? "" : hostedWords(hosted, hubUrl, place)}
  data        ${choices.root}
  logs        ${join(choices.root, "logs")}

Ctrl-C stops everything; the same command goes on where it was${again}.

`;
}

/** How a nest is created here, or what is missing for that. */
function hostedWords(
  { missing, isBuilding }: Pick<Hosted, "missing" | "isBuilding">,
  hubUrl: string,
  { login, hubToken }: Pick<Place, "login" | "hubToken">,
): string {
  if (missing.length > 0) {
    const lines = missing.map(({ what, command }) => `    ${what}${command === undefined ? "" : `\n      ${command}`}`);
    return `\n  hosted nests cannot be created yet. Missing:\n${lines.join("\n")}\n  Bring what is missing, and start again.\n`;
  }
  const when = isBuilding
    ? "\n    ready once the Kubernetes API server is built: some ten minutes on two cores, once"
    : "";
  const token = hubToken === undefined ? "" : `\n    a token for it, good on the local code host only: ${hubToken}`;
  return `  new nest    ${hubUrl}/my-nests/new   created in the browser; sign in as ${login}${when}${token}\n`;
}

/** What does the work, for people. */
export function agentWords({ backend, model }: Choices): string {
  return backend === undefined ? "the demo agent" : [backend, model].filter(Boolean).join(" ");
}
