import type { ManagedCluster } from "@nest/cluster";
import { namespaceOf } from "@nest/protocol";
import { type LivePod, liveDeployment, livePod } from "./live-objects.ts";
import { rolloutOf } from "./rollout.ts";

/** How a nest stands on its cluster at this moment. */
export interface Inspection {
  readonly isReady: boolean;
  /** Each in a sentence; empty when all is well. */
  readonly faults: readonly string[];
  readonly pods: readonly {
    readonly name: string;
    readonly phase: string;
    readonly securityClass: string | undefined;
  }[];
}

/**
 * Looks at a nest once: whether its rollout is done, and whether each pod has the permissive security class and not the restricted
 * one (spec: verify after rollout). `securityClass` is absent on clusters without such classes.
 */
export async function inspectNest(
  cluster: ManagedCluster,
  nestId: string,
  securityClass: string | undefined,
  signal: AbortSignal,
): Promise<Inspection> {
  const namespace = namespaceOf(nestId);
  const found = await cluster.read({ apiVersion: "apps/v1", kind: "Deployment", namespace, name: "nest" }, signal);
  if (found === undefined) return { isReady: false, faults: [`${namespace} has no Deployment nest`], pods: [] };
  const deployment = liveDeployment(found);
  const list = await cluster.list({ apiVersion: "v1", kind: "Pod" }, { namespace, labelSelector: "app=nest" }, signal);
  const pods = list.map(livePod).filter((pod) => pod !== undefined && !pod.isEnding) as readonly LivePod[];
  const rollout = rolloutOf({ deployment, pods }, securityClass);
  const faults = pods.flatMap((pod) => classFaults(pod, securityClass));
  if (rollout.kind === "failed" && faults.length === 0)
    faults.push(`${rollout.trouble.reason}; ${rollout.trouble.remedy}`);
  if (rollout.kind === "waiting") {
    const { note, trouble } = rollout;
    faults.push(deployment?.replicas === 0 ? "it is scaled to 0" : [note, trouble?.remedy].filter(Boolean).join("; "));
  }
  return {
    isReady: rollout.kind === "ready" && faults.length === 0,
    faults,
    pods: pods.map(({ name, phase, securityClass: got }) => ({ name, phase, securityClass: got })),
  };
}

function classFaults({ name, securityClass: got }: LivePod, wanted: string | undefined): string[] {
  if (wanted === undefined || got === wanted) return [];
  const has = got === undefined ? "names no security class" : `has the security class ${got}`;
  return [`pod ${name} ${has} and not ${wanted}; the subject of nest-anyuid must name the nest's own namespace`];
}
