import { plainLine } from "@nest/kit";
import type { LiveDeployment, LivePod } from "./live-objects.ts";
import { type PodTrouble, troubleOf } from "./pod-trouble.ts";

/** What is seen of a nest on its cluster. */
export interface LiveNest {
  readonly deployment: LiveDeployment | undefined;
  readonly pods: readonly LivePod[];
}

export type Rollout =
  | { readonly kind: "ready" }
  /** `stage` rises with every step forward; `trouble` is why it may stand still. */
  | {
      readonly kind: "waiting";
      readonly stage: number;
      readonly note: string;
      readonly trouble: PodTrouble | undefined;
    }
  | { readonly kind: "failed"; readonly trouble: PodTrouble };

/** How far a Deployment with one replica is. `securityClass`: the class that the pods have to get. */
export function rolloutOf(nest: LiveNest, securityClass: string | undefined): Rollout {
  const { deployment, pods } = nest;
  const alive = pods.filter(({ isEnding }) => !isEnding);
  const troubles = alive.map((pod) => troubleOf(pod, securityClass)).filter((one) => one !== undefined);
  const final = troubles.find(({ isFinal }) => isFinal);
  if (final !== undefined) return { kind: "failed", trouble: final };
  if (deployment === undefined || !deployment.isObserved)
    return { kind: "waiting", stage: 0, note: "the cluster has not taken up the deployment yet", trouble: undefined };
  const { replicas, updated, available, running } = deployment;
  if (updated >= replicas && available >= replicas && running <= replicas && replicas > 0) return { kind: "ready" };
  const refused = deployment.conditions.find(({ type, status }) => type === "ReplicaFailure" && status === "True");
  const trouble = troubles[0] ?? (refused === undefined ? undefined : refusedPods(refused.message ?? ""));
  const stage = Math.max(1, ...alive.map(stageOf));
  return { kind: "waiting", stage, note: trouble?.reason ?? wordOf(stage), trouble };
}

/** Whether a Deployment that was scaled to 0 has no pod left. */
export function isStopped({ deployment, pods }: LiveNest): boolean {
  return pods.length === 0 && (deployment === undefined || (deployment.isObserved && deployment.running === 0));
}

const stages = [
  "waiting for the cluster",
  "a pod is being made",
  "the pod has a node",
  "the pod's preparations run",
  "the nest starts",
  "the nest runs and is not ready yet",
] as const;

function wordOf(stage: number): string {
  return stages[Math.min(Math.floor(stage / 10), stages.length - 1)] ?? stages[0];
}

function stageOf(pod: LivePod): number {
  if (pod.containers.some(({ state }) => state?.running !== undefined)) return 50;
  const prepared = pod.init.filter(({ state }) => state?.terminated?.exitCode === 0).length;
  if (pod.init.length > 0 && prepared === pod.init.length) return 40;
  if (prepared > 0 || pod.init.some(({ state }) => state?.running !== undefined)) return 30 + prepared;
  return pod.conditions.some(({ type, status }) => type === "PodScheduled" && status === "True") ? 20 : 10;
}

function refusedPods(message: string): PodTrouble {
  const isQuota = /exceeded quota/.test(message);
  return {
    reason: `the cluster refuses the pod: ${plainLine(message).slice(0, 300)}`,
    remedy: isQuota
      ? "raise the namespace's quota, or pause another nest"
      : "compare the namespace's pod security and the binding nest-anyuid with docs/operations.md",
    isFinal: false,
  };
}
