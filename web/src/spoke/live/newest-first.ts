import type { nestEvents } from "@nest/protocol";

type Line = nestEvents.NestActivity;

const MOST_LINES = 500;

/** Names a line of the activity: lines have no number of their own. */
export function keyOfLine({ at, action, agent = "", run_id = "", detail = "" }: Line): string {
  return [at, action, agent, run_id, detail].join("\n");
}

/** Lines of two sources as one list without repetitions, newest first. Lines of one moment stay in their order. */
export function newestFirst(added: readonly Line[], known: readonly Line[]): Line[] {
  const byKey = new Map([...added, ...known].map((line) => [keyOfLine(line), line]));
  return [...byKey.values()].sort((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, MOST_LINES);
}
