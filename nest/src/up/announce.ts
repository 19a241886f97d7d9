import { join } from "node:path";
import type { Choices } from "./choices.ts";
import type { Place } from "./place.ts";

/** Says in plain words what is running and where. */
export function announce(choices: Choices, place: Place, hubUrl: string, spokeUrl: string, terminalPort: number): void {
  const agent = agentWords(choices);
  const relay = choices.relay
    ? `${place.login}, with ${agent}${choices.interactive ? " in tmux (the first line of relay.log says how to watch it)" : ""}`
    : "not started (-no-relay)";
  const terminal = terminalPort === 0 ? "" : `, terminal on ${terminalPort}`;
  const again = choices.served.kind === "demo" ? " (or begin anew with -fresh)" : "";
  process.stdout.write(`
Nest is running.

  hub         ${hubUrl}   watch issues become pull requests
  operations  ${hubUrl}/operations   what an admin does; sign in as ${place.login}
  spoke       ${spokeUrl}   one team's nest${terminal}
  code host   ${place.words}
  relay       ${relay}

  data        ${choices.root}
  logs        ${join(choices.root, "logs")}

Ctrl-C stops everything; the same command goes on where it was${again}.

`);
}

/** What does the work, for people. */
export function agentWords({ backend, model }: Choices): string {
  return backend === undefined ? "the demo agent" : [backend, model].filter(Boolean).join(" ");
}
