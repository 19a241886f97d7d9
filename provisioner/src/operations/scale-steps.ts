import { namespaceOf } from "@nest/protocol";
import type { Step, StepContext } from "../work/step.ts";
import { waitUntilReady, waitUntilStopped } from "../work/wait-rollout.ts";

/** The nest's Deployment. */
export function deploymentRef(id: string) {
  return { apiVersion: "apps/v1", kind: "Deployment", namespace: namespaceOf(id), name: "nest" };
}

/** Decides how many pods the nest has and tells the cluster. The record comes first, so that a repair wants the same. */
export function scaleStep(name: string, replicas: 0 | 1): Step {
  return {
    name,
    async run(context: StepContext) {
      await context.change((record) => (record.replicas === replicas ? record : { ...record, replicas }));
      await context.home.cluster.scale(deploymentRef(context.id), replicas, context.signal);
    },
  };
}

export const readyStep: Step = { name: "ready", isPatient: true, run: waitUntilReady };

export const stoppedStep: Step = { name: "stopped", isPatient: true, run: waitUntilStopped };
