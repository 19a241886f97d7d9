import type { KubernetesObject } from "@nest/cluster";
import { NestError, plainLine } from "@nest/kit";
import { namespaceOf } from "@nest/protocol";
import { isStopped, type Rollout, rolloutOf } from "./rollout.ts";
import { STEP_MS } from "./run-steps.ts";
import type { StepContext } from "./step.ts";

/** How often events are asked for while a pod does not come up. They are not followed: they cannot be told apart by label. */
const EVENTS_MS = 10_000;

/**
 * Waits until the nest's pod is ready, by watch. Every step forward gives it five more minutes; what stands in its way is in the
 * record meanwhile.
 *
 * @throws NestError `nest_not_ready` with the real reason and what to do.
 */
export async function waitUntilReady(context: StepContext): Promise<void> {
  const securityClass = context.home.record.scc;
  let best = -1;
  await waitFor(context, async (seen) => {
    const rollout = rolloutOf(seen, securityClass);
    if (rollout.kind === "ready") return { done: true };
    if (rollout.kind === "failed") throw await notReady(context, rollout);
    const isForward = rollout.stage > best;
    best = Math.max(best, rollout.stage);
    const event = rollout.trouble === undefined ? await lastWarning(context) : undefined;
    await context.note(event ?? rollout.note);
    return { done: false, isForward, onTimeout: () => notReady(context, rollout) };
  });
}

/** Waits until no pod of the nest is left. @throws NestError `nest_not_stopped`. */
export async function waitUntilStopped(context: StepContext): Promise<void> {
  let fewest = Number.POSITIVE_INFINITY;
  await waitFor(context, async (seen) => {
    if (isStopped(seen)) return { done: true };
    const isForward = seen.pods.length < fewest;
    fewest = Math.min(fewest, seen.pods.length);
    const names = seen.pods.map(({ name }) => name).join(", ");
    const onTimeout = async () =>
      new NestError("nest_not_stopped", `the pod does not end: ${names}`, { hint: "see its finalizers and its node" });
    return { done: false, isForward, onTimeout };
  });
}

type Judgement =
  | { readonly done: true }
  | { readonly done: false; readonly isForward: boolean; readonly onTimeout: () => Promise<NestError> };

type Seen = Parameters<typeof rolloutOf>[0];

/** Judges at each change, and every few seconds for what no watch tells, until done or without progress for five minutes. */
async function waitFor(context: StepContext, judge: (seen: Seen) => Promise<Judgement>): Promise<void> {
  const { clock, signal, home, id } = context;
  const namespace = namespaceOf(id);
  let forwardAt = clock.now();
  for (;;) {
    // A signal that has fired already tells no listener: the wait would go on until the cluster or the clock moves.
    signal.throwIfAborted();
    const changed = nextChange(context, namespace);
    try {
      const judged = await judge(home.watch.nest(namespace));
      if (judged.done) return;
      if (judged.isForward) forwardAt = clock.now();
      if (clock.now() - forwardAt >= STEP_MS) throw await judged.onTimeout();
      await changed.happened;
    } finally {
      changed.cancel();
    }
  }
}

function nextChange({ clock, signal, home }: StepContext, namespace: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const ends = [home.watch.onChange(namespace, resolve), clock.after(EVENTS_MS, resolve)];
  const onAbort = () => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  const cancel = () => {
    for (const end of ends) end();
    signal.removeEventListener("abort", onAbort);
  };
  return { happened: promise, cancel };
}

async function notReady(context: StepContext, rollout: Exclude<Rollout, { kind: "ready" }>): Promise<NestError> {
  const { trouble } = rollout;
  const silent = context.home.watch.fault;
  const event = await lastWarning(context);
  const reason = trouble?.reason ?? event ?? silent ?? (rollout.kind === "waiting" ? rollout.note : "");
  const isTold = trouble === undefined || event === undefined || reason.includes(event);
  const hint = trouble?.remedy ?? "see the pods and events of its namespace";
  return new NestError("nest_not_ready", isTold ? reason : `${reason}; ${event}`, { hint });
}

/** The newest warning of the namespace; undefined when there is none, or it cannot be read. */
async function lastWarning({ home, id, signal }: StepContext): Promise<string | undefined> {
  const events = await home.cluster
    .list({ apiVersion: "v1", kind: "Event" }, { namespace: namespaceOf(id) }, signal)
    .catch(() => []);
  const warnings = events.filter((event) => event.type === "Warning").sort((one, other) => timeOf(one) - timeOf(other));
  const last = warnings.at(-1);
  if (last === undefined) return undefined;
  return plainLine(`${String(last.reason ?? "warning")}: ${String(last.message ?? "")}`).slice(0, 400);
}

function timeOf(event: KubernetesObject): number {
  const at = event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp;
  return typeof at === "string" ? Date.parse(at) || 0 : 0;
}
