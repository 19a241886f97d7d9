import { plainLine } from "@nest/kit";
import type { ContainerStatus, LivePod } from "./live-objects.ts";

/** Why a pod does not become ready, and what a person can do. */
export interface PodTrouble {
  readonly reason: string;
  readonly remedy: string;
  /** Waiting longer changes nothing. */
  readonly isFinal: boolean;
}

/** So many ends in a row, and a container is not just starting slowly. */
const CRASHES = 3;

/** The trouble of a pod; undefined while it comes up as it should. `securityClass`: the class that it has to get. */
export function troubleOf(pod: LivePod, securityClass: string | undefined): PodTrouble | undefined {
  if (securityClass !== undefined && pod.securityClass !== undefined && pod.securityClass !== securityClass)
    return {
      reason: `the pod got the security class ${pod.securityClass} and not ${securityClass}`,
      remedy:
        "the subject of the RoleBinding nest-anyuid must name the nest's own namespace; correct it and delete the pod",
      isFinal: true,
    };
  if (pod.phase === "Failed" && pod.because !== undefined)
    return {
      reason: `the pod was ended: ${line(pod.because)}`,
      remedy: "see the node's memory and disk",
      isFinal: false,
    };
  for (const container of [...pod.init, ...pod.containers]) {
    const trouble = containerTrouble(container);
    if (trouble !== undefined) return trouble;
  }
  const scheduled = pod.conditions.find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False" && scheduled.reason === "Unschedulable")
    return {
      reason: `no node takes the pod: ${line(scheduled.message ?? "unschedulable")}`,
      remedy: "add a node, free memory, or see whether the volume claim is bound",
      isFinal: false,
    };
  return undefined;
}

const waitingRemedies: Readonly<Record<string, readonly [remedy: string, isFinal: boolean]>> = {
  ErrImagePull: ["see the image's name and whether the nodes may pull from its registry", false],
  ImagePullBackOff: ["see the image's name and whether the nodes may pull from its registry", false],
  ErrImageNeverPull: ["bring the image to the node, or name one that can be pulled", true],
  InvalidImageName: ["correct the cluster's image", true],
  CreateContainerConfigError: [
    "the Secret nest-secrets or the ConfigMap nest-config lacks a key: repair the nest",
    false,
  ],
  CreateContainerError: ["see the node's container runtime", false],
  RunContainerError: ["see the node's container runtime", false],
};

function containerTrouble(container: ContainerStatus): PodTrouble | undefined {
  const { name, state, lastState, restartCount } = container;
  const ended = state?.terminated ?? lastState?.terminated;
  if (ended?.exitCode !== undefined && ended.exitCode !== 0) {
    const word = ended.message ?? ended.reason;
    return {
      reason: `${name} ended with exit code ${ended.exitCode}${word === undefined ? "" : ` (${line(word)})`}`,
      remedy: exitRemedy(ended.exitCode, ended.reason, name),
      isFinal: restartCount >= CRASHES,
    };
  }
  const waiting = state?.waiting;
  const known = waiting?.reason === undefined ? undefined : waitingRemedies[waiting.reason];
  if (waiting === undefined || known === undefined) return undefined;
  const message = waiting.message === undefined ? "" : `: ${line(waiting.message)}`;
  return { reason: `${name}: ${waiting.reason}${message}`, remedy: known[0], isFinal: known[1] };
}

function exitRemedy(code: number, reason: string | undefined, container: string): string {
  if (reason === "OOMKilled" || code === 137)
    return "it ran out of memory, or the node did: raise the limit or free the node";
  if (code === 255) return "the pod has the restricted security class: correct the subject of nest-anyuid";
  if (code === 77) return "the node lacks a right or a kernel module that the container needs";
  if (code === 2) return "nest.yaml is wrong: read the container's log";
  if (container === "init-permissions")
    return "the volume does not let root change its owner: turn root squash off, or give the folder to 1001:1000";
  return "read the container's log";
}

/** One line of what a cluster says, short enough for a record and safe for a terminal. */
function line(text: string): string {
  return plainLine(text).slice(0, 300);
}
