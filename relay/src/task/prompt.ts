import { asksForVerdict, promptArgument, VERDICT_REQUEST } from "@nest/agents";
import { plainLine } from "@nest/kit";
import type { Assignment } from "./task.ts";

/** The most permissions named in a prompt: a hub may send any number, an argument of a program has a limit. */
const MOST_RIGHTS = 16;
const LONGEST_RIGHT = 40;

/**
 * The agent's prompt: the hub's, or the issue itself where the hub sent none; with a request for a verdict. `beside`: the
 * permissions of a credential that comes in addition to the contributor's own login; the prompt then says which of the two is
 * for what. `onlyCommands`: the only commands that the agent may run here, in words; it is then told not to try others.
 */
export function promptFor(
  assignment: Assignment,
  {
    beside,
    onlyCommands,
  }: { readonly beside?: readonly string[] | undefined; readonly onlyCommands?: string | undefined } = {},
): string {
  const given = assignment.prompt.trim();
  const said =
    given === ""
      ? `Work on issue ${assignment.repo}#${assignment.number}: ${assignment.title}\n${assignment.url}`.trim()
      : given;
  // Our note comes first, because the hub's prompt ends with a stranger's words.
  const notes = [
    ...(beside === undefined ? [] : [loginNote(beside)]),
    ...(onlyCommands === undefined ? [] : [commandsNote(onlyCommands)]),
  ];
  const told = notes.length === 0 ? said : [...notes, promptArgument(said)].join("\n\n");
  return promptArgument(asksForVerdict(said) ? told : `${told}\n\n${VERDICT_REQUEST}`);
}

function commandsNote(only: string): string {
  return `On this machine you can run ${only}, and edit files; every other command is refused. So do not try to build or to run tests, whatever is said below: the checks of the pull request do.`;
}

function loginNote(rights: readonly string[]): string {
  const shown = rights.slice(0, MOST_RIGHTS).map((right) => plainLine(right).slice(0, LONGEST_RIGHT));
  const may = shown.length === 0 ? "" : ` It may do this: ${shown.join(", ")}.`;
  return [
    "Fork the repository, push and open the pull request with the login that git and gh have on this machine (GH_TOKEN, where it is set).",
    `NEST_TASK_TOKEN in your environment is a short-lived token of the hub for this repository; it can neither push nor open a pull request.${may}`,
  ].join("\n");
}
