import type { NestActivityEvent, nestRuns, RunOutcome } from "@nest/protocol";

/** Names of actions; the words that people read are in `nest-activity.ts` of the protocol. */
const endings = {
  shipped: "run shipped",
  finished: "run finished",
  no_work_needed: "run found nothing to do",
  blocked: "run was blocked",
  failed: "run failed",
  overdue: "run took too long",
  looped: "run went round in a loop",
  stalled: "run stood still",
  not_started: "run could not start",
  stopped: "run was stopped",
} as const satisfies Record<RunOutcome, NestActivityEvent["action"]>;

/** The line that tells how a run ended. */
export function lineOfEnd(agent: string, run: nestRuns.Run): NestActivityEvent {
  const action = endings[run.outcome ?? "finished"];
  return { action, agent, issue: run.issue, run_id: run.id, url: run.links.at(-1), detail: run.summary };
}
