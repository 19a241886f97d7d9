import { asksForVerdict, promptArgument, VERDICT_REQUEST } from "@nest/agents";
import type { Assignment } from "./task.ts";

/** What the agent is told: the hub's prompt, or the issue itself where the hub sent none; with a request for a verdict. */
export function promptFor(assignment: Assignment): string {
  const given = assignment.prompt.trim();
  const said =
    given === ""
      ? `Work on issue ${assignment.repo}#${assignment.number}: ${assignment.title}\n${assignment.url}`.trim()
      : given;
  return promptArgument(asksForVerdict(said) ? said : `${said}\n\n${VERDICT_REQUEST}`);
}
