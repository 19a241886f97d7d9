import type { Assignment } from "./task.ts";
import { Task, type TaskDeps } from "./task.ts";

/** An agent with nothing to do ends within seconds; one that takes longer has at least begun to work. */
const PROOF_MS = 60_000;

const NOTHING_TO_DO: Assignment = {
  type: "task_assign",
  task_id: "backend-check",
  task_gen: 1,
  kind: undefined,
  repo: "none/none",
  number: 0,
  title: "",
  url: "",
  labels: [],
  role: undefined,
  prompt:
    "This only checks that you can be started. Do nothing, and answer with this one line:\nNEST_VERDICT: complete",
};

/**
 * A run of the agent for no hub, started just as a task would be, that shows whether the agent can work on this machine. At a
 * terminal it has as long as a task: a person may have to log in there.
 */
export function proofOf(
  deps: Omit<TaskDeps, "awaitsCredential" | "permissions" | "isSignedIn" | "hubHost" | "onProgress">,
): Task {
  const { config, numbers } = deps;
  const watchdogMs = config.mode === "headless" ? PROOF_MS / config.clockScale : numbers.watchdogMs;
  return new Task(NOTHING_TO_DO, {
    ...deps,
    numbers: { ...numbers, watchdogMs },
    awaitsCredential: false,
    permissions: () => undefined,
    isSignedIn: true,
    hubHost: "none",
    onProgress: () => undefined,
  });
}
