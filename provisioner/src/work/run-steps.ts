import { backoffMs, NestError, type Random, sentenceOf } from "@nest/kit";
import type { NestStep } from "@nest/protocol";
import type { Failure, Step, StepContext } from "./step.ts";
import { askedToWaitMs, isTransient } from "./transient.ts";

/** One attempt of a step that is not patient by itself. A server that hangs must not hold the line for ever. */
export const ATTEMPT_MS = 60_000;
/** So long a step is tried again (contract: step timeout 5 min without progress). */
export const STEP_MS = 300_000;
const RETRY = { firstMs: 500, longestMs: 20_000 };

/** Steps of a new operation, as its record begins. */
export function newSteps(names: readonly string[], at: string): NestStep[] {
  return names.map((name) => ({ name, state: "waiting", attempt: 0, at }));
}

/**
 * Runs the steps that the record does not have as done, one after the other. Before and after each the record says so, so that a
 * hub that was killed goes on at the right one. A step that failed for a reason that may pass is tried again, later each time.
 *
 * @returns Undefined when all are done; else which one failed for good, and why.
 */
export async function runSteps(
  steps: readonly Step[],
  context: StepContext,
  random: Random,
): Promise<Failure | undefined> {
  for (const step of steps) {
    const { steps: known } = await context.record();
    const state = known.find(({ name }) => name === step.name)?.state;
    if (state === "done" || state === "skipped") continue;
    const failure = await runStep(step, context, random);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

async function runStep(step: Step, context: StepContext, random: Random): Promise<Failure | undefined> {
  let failingSince: number | undefined;
  for (let tries = 0; ; tries += 1) {
    const startedAt = context.clock.now();
    await mark(context, step.name, (before) => ({ ...before, state: "running", attempt: before.attempt + 1 }));
    try {
      await attempt(step, context);
      await mark(context, step.name, ({ error: _, note: __, ...before }) => ({ ...before, state: "done" }));
      return undefined;
    } catch (thrown) {
      context.signal.throwIfAborted();
      const reason = reasonOf(thrown);
      const now = context.clock.now();
      // A patient step may have waited for long before a server was silent for a moment.
      if (failingSince === undefined || now - startedAt >= STEP_MS) failingSince = now;
      if (!isTransient(thrown) || now - failingSince >= STEP_MS) {
        await mark(context, step.name, (before) => ({ ...before, state: "failed", error: reason }));
        return { step: step.name, reason, cause: asNestError(thrown) };
      }
      await mark(context, step.name, (before) => ({ ...before, state: "waiting", error: reason }));
      const delay = Math.max(askedToWaitMs(thrown), backoffMs(tries, RETRY, random));
      await context.clock.sleep(Math.min(delay, STEP_MS), context.signal);
    }
  }
}

async function attempt(step: Step, context: StepContext): Promise<void> {
  if (step.isPatient) return step.run(context);
  const limit = new AbortController();
  const cancel = context.clock.after(ATTEMPT_MS, () =>
    limit.abort(new NestError("step_timeout", `${step.name}: no answer within ${ATTEMPT_MS / 1000} s`)),
  );
  try {
    await step.run({ ...context, signal: AbortSignal.any([context.signal, limit.signal]) });
  } finally {
    cancel();
  }
}

/** Changes what the record says of a step; one that it does not name is added. */
async function mark(context: StepContext, name: string, change: (step: NestStep) => NestStep): Promise<void> {
  const at = new Date(context.clock.now()).toISOString();
  await context.change((record) => {
    const known = record.steps.some((step) => step.name === name);
    const steps = known ? record.steps : [...record.steps, ...newSteps([name], at)];
    return { ...record, steps: steps.map((step) => (step.name === name ? { ...change(step), at } : step)) };
  });
}

/** What a person reads: the sentence, and what can be done. */
export function reasonOf(thrown: unknown): string {
  const hint = thrown instanceof NestError && thrown.hint !== undefined ? `; ${thrown.hint}` : "";
  return `${sentenceOf(thrown)}${hint}`.slice(0, 2000);
}

function asNestError(thrown: unknown): NestError {
  return thrown instanceof NestError
    ? thrown
    : new NestError("nest_step_broken", sentenceOf(thrown), { cause: thrown });
}
