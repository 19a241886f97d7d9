import type { Step } from "../work/step.ts";
import { waitUntilReady } from "../work/wait-rollout.ts";
import { applySteps } from "./object-steps.ts";
import { isPlaceholder } from "./provision.ts";
import { readyStep, scaleStep, stoppedStep } from "./scale-steps.ts";
import type { Tools } from "./tools.ts";
import { doneRecord, failedRecord, type Operation } from "./tools.ts";

/** Scales to 0 and keeps the data. */
export const pause: Operation = {
  steps: () => [scaleStep("scale-down", 0), stoppedStep],
  done: (record) => doneRecord(record, { status: isPlaceholder(record) ? "available" : "paused" }),
  failed: (record, { step, reason }) => failedRecord(record, `pause failed, check hub logs: ${step}: ${reason}`),
};

export const resume: Operation = {
  steps: () => [scaleStep("scale-up", 1), readyStep],
  done: (record) => doneRecord(record, { status: "running" }),
  failed: (record, { step, reason }) => failedRecord(record, `resume failed, check hub logs: ${step}: ${reason}`),
};

/**
 * Brings another image. The record keeps the old one until the new one is ready; if it never is, the old one is brought back, and
 * the nest runs on with the reason in its record.
 */
export function upgrade(tools: Tools): Operation {
  const image: Step = {
    name: "image",
    async run(context) {
      const [deploy] = applySteps(upgraded(tools), ["deployment"]);
      await deploy?.run(context);
    },
  };
  return {
    steps: (record) => ((record.replicas ?? 1) === 0 ? [image] : [image, readyStep]),
    done: (record) => doneRecord(record, { ...(record.operation?.image && { image: record.operation.image }) }),
    failed: (record, { step, reason }) => {
      const { operation, ...rest } = record;
      const error = `upgrade to ${operation?.image} failed, the old image runs on: ${step}: ${reason}`.slice(0, 4000);
      return { ...rest, error, failed_operation: operation };
    },
    async undo(context) {
      const [deploy] = applySteps(tools, ["deployment"]);
      await deploy?.run(context);
      const { replicas = 1 } = await context.record();
      if (replicas > 0) await waitUntilReady(context);
    },
  };
}

/** The same tools, for which a nest has the image that its operation brings. */
function upgraded(tools: Tools): Tools {
  return { ...tools, imageOf: (record) => record.operation?.image ?? tools.imageOf?.(record) };
}
