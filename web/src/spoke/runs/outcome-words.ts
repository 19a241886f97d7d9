import type { RunOutcome } from "@nest/protocol";
import type { Tone } from "../../shared/charts/stacked-bars.tsx";

interface OutcomeWords {
  readonly words: string;
  readonly tone: Tone;
}

const outcomes: Readonly<Record<RunOutcome, OutcomeWords>> = {
  shipped: { words: "opened a pull request", tone: "good" },
  finished: { words: "finished", tone: "good" },
  no_work_needed: { words: "nothing left to do", tone: "quiet" },
  blocked: { words: "blocked", tone: "warn" },
  failed: { words: "failed", tone: "bad" },
  overdue: { words: "out of time", tone: "bad" },
  looped: { words: "went round in a loop", tone: "bad" },
  stalled: { words: "stood still", tone: "bad" },
  not_started: { words: "could not start", tone: "bad" },
  stopped: { words: "stopped", tone: "quiet" },
};

/** How a run ended, in words; one that goes on. An outcome of a newer nest reads as its name. */
export function outcomeOf(outcome: string | undefined): OutcomeWords {
  if (outcome === undefined) return { words: "goes on", tone: "good" };
  if (Object.hasOwn(outcomes, outcome)) return outcomes[outcome as RunOutcome];
  return { words: outcome.replaceAll("_", " "), tone: "quiet" };
}
