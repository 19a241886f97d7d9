import type { HostedNestRecord } from "@nest/protocol";
import { applySteps, appStep, storageStep } from "./object-steps.ts";
import { overlayStep } from "./overlay-step.ts";
import { readyStep, scaleStep, stoppedStep } from "./scale-steps.ts";
import { doneRecord, failedRecord, type Operation, type Tools } from "./tools.ts";

/** A nest that nobody owns waits to be claimed. */
export function isPlaceholder(record: Pick<HostedNestRecord, "owner">): boolean {
  return record.owner === "";
}

/** Creating a nest: `provisioning` becomes `running`, `available` or `error` (spec: Hosted instance status). */
export function provision(tools: Tools): Operation {
  return {
    steps: (record) => {
      const last = isPlaceholder(record) ? [readyStep, scaleStep("scale-down", 0), stoppedStep] : lastSteps(record);
      return [storageStep(tools), ...applySteps(tools), ...last];
    },
    done: (record) => doneRecord(record, { status: isPlaceholder(record) ? "available" : "running" }),
    failed: (record, { step, reason }) =>
      failedRecord(record, `provisioning failed, check hub logs: ${step}: ${reason}`),
  };
}

/** Giving a placeholder to its owner: the record has the project already, the credentials wait beside it. */
export function claim(tools: Tools): Operation {
  return {
    steps: (record) => [
      ...applySteps(tools, ["config", "secrets"]),
      scaleStep("scale-up", 1),
      // What names the owner and the project.
      ...applySteps(tools, ["namespace", "volume", "service", "deployment"]),
      ...(record.auth_method === "app-later" ? [appStep] : [readyStep, overlayStep(tools)]),
    ],
    done: (record) => doneRecord(record, { status: "running" }),
    failed: (record, { step, reason }) => failedRecord(record, `claim failed, check hub logs: ${step}: ${reason}`),
  };
}

/** Applying everything again, whatever changed it; the Secret only where it is missing. */
export function repair(tools: Tools): Operation {
  return {
    steps: (record) => [...applySteps(tools), ...((record.replicas ?? 1) > 0 ? lastSteps(record) : [])],
    done: (record) => doneRecord(record, { status: statusAfter(record) }),
    failed: (record, { step, reason }) => failedRecord(record, `repair failed, check hub logs: ${step}: ${reason}`),
  };
}

function lastSteps(record: HostedNestRecord) {
  return record.auth_method === "app-later" ? [appStep] : [readyStep];
}

/** What a nest is when nothing is wrong with it. */
export function statusAfter(record: HostedNestRecord): string {
  if ((record.replicas ?? 1) > 0) return "running";
  return isPlaceholder(record) ? "available" : "paused";
}
