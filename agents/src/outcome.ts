import { type Standstill, standstillIn, standstillWords } from "./standstill.ts";
import { pullRequestLink, readVerdict } from "./verdict.ts";

/** How a run of an agent ended. */
export type AgentEnd =
  /** The program ended by itself. */
  | { readonly kind: "exited"; readonly code: number; readonly output: string }
  /** A signal that was not ours. */
  | { readonly kind: "killed"; readonly signal: string; readonly output: string }
  /** It never ran. */
  | { readonly kind: "not_started"; readonly because: string }
  /** An agent at a terminal gave its verdict, or has been idle for long; its program still runs. */
  | { readonly kind: "settled"; readonly output: string }
  /** The relay's own watchdog ended it. */
  | { readonly kind: "overdue"; readonly afterMs: number; readonly output: string }
  /** The task was ended from outside; there is nothing to report. */
  | { readonly kind: "ended" };

/** The result of a task; the relay translates it to the wire's names where it sends it. */
export type Outcome =
  | {
      readonly kind: "completed";
      readonly verdict: "shipped" | "idle" | "no_work_needed" | "blocked";
      readonly verdictReason?: string;
      readonly pullRequest?: string;
    }
  | {
      readonly kind: "failed";
      readonly failureKind: "environment" | "task";
      readonly reason: string;
      /** What kept the agent from working, where its last lines tell. */
      readonly standstill?: Standstill;
    };

export interface AssignedWork {
  readonly repo: string;
  /** Web base of the code host (`NEST_GITHUB_URL`). */
  readonly webBase: string;
  /** The prompt that the agent was given: where the output repeats it, that part says nothing about the result. */
  readonly prompt: string;
}

/** The exit code by which a shell says that it could not find the program. */
const NOT_FOUND = 127;
/** Wrappers and sandboxes exit with 128 plus the number of the signal that ended their program. */
const SIGNALLED = 128;
const MOST_SIGNALS = 64;

/** What to report for the way a run ended. */
export function outcomeOf(end: Exclude<AgentEnd, { kind: "ended" }>, work: AssignedWork): Outcome {
  // biome-ignore lint/nursery/useExhaustiveSwitchCases: the rule does not see that the type excludes a kind
  switch (end.kind) {
    case "not_started":
      return { kind: "failed", failureKind: "environment", reason: end.because };
    case "killed":
      return { kind: "failed", failureKind: "environment", reason: `agent was ended by ${end.signal}` };
    case "overdue":
      return failedOnMerit(`task exceeded ${Math.round(end.afterMs / 60_000)} minutes`, end.output, work);
    case "exited":
      if (end.code === 0) return judged(end.output, work);
      if (end.code === NOT_FOUND)
        return { kind: "failed", failureKind: "environment", reason: "agent command not found (exit 127)" };
      if (end.code > SIGNALLED && end.code <= SIGNALLED + MOST_SIGNALS)
        return {
          kind: "failed",
          failureKind: "environment",
          reason: `agent was ended by signal ${end.code - SIGNALLED} (exit ${end.code})`,
        };
      return failedOnMerit(`agent exited with ${end.code}`, end.output, work);
    case "settled":
      return judged(end.output, work);
  }
}

function judged(output: string, work: AssignedWork): Outcome {
  const said = withoutPrompt(output, work.prompt);
  const verdict = readVerdict(said);
  if (verdict !== undefined && verdict.word !== "complete")
    return {
      kind: "completed",
      verdict: verdict.word,
      ...(verdict.reason === undefined ? {} : { verdictReason: verdict.reason }),
    };
  const pullRequest = pullRequestLink(said, work.repo, work.webBase);
  const reason = verdict?.reason === undefined ? {} : { verdictReason: verdict.reason };
  return pullRequest === undefined
    ? { kind: "completed", verdict: "idle", ...reason }
    : { kind: "completed", verdict: "shipped", pullRequest, ...reason };
}

/**
 * The failure of an agent that exited with an error: the exit code outranks a verdict, and a pull request is only mentioned.
 */
function failedOnMerit(reason: string, output: string, work: AssignedWork): Outcome {
  const said = withoutPrompt(output, work.prompt);
  const pullRequest = pullRequestLink(said, work.repo, work.webBase);
  const standstill = standstillIn(said);
  const because = standstill === undefined ? reason : `${reason}: ${standstillWords(standstill)}`;
  return {
    kind: "failed",
    failureKind: "task",
    reason: pullRequest === undefined ? because : `${because}, after ${pullRequest}`,
    ...(standstill === undefined ? {} : { standstill }),
  };
}

function withoutPrompt(output: string, prompt: string): string {
  return prompt.trim() === "" ? output : output.replaceAll(prompt.trim(), "");
}
