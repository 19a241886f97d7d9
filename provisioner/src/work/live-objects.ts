import type { KubernetesObject } from "@nest/cluster";
import { z } from "zod";

const Reason = z
  .looseObject({ reason: z.string().optional(), message: z.string().optional(), exitCode: z.number().optional() })
  .optional();
const State = z.object({ waiting: Reason, running: z.looseObject({}).optional(), terminated: Reason });

const ContainerStatus = z.object({
  name: z.string(),
  ready: z.boolean().default(false),
  restartCount: z.number().default(0),
  /** What the node made of the image's name: its digest, where it came from a registry. */
  imageID: z.string().optional(),
  state: State.optional(),
  lastState: State.optional(),
});
export type ContainerStatus = z.infer<typeof ContainerStatus>;

const Condition = z.object({
  type: z.string(),
  status: z.string(),
  reason: z.string().optional(),
  message: z.string().optional(),
});

/** What is read of a pod; the rest of it is not kept. */
const PodShape = z.object({
  metadata: z.object({
    name: z.string(),
    deletionTimestamp: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
  spec: z.object({ containers: z.array(z.object({ image: z.string().optional() })).default([]) }).optional(),
  status: z
    .object({
      phase: z.string().optional(),
      reason: z.string().optional(),
      message: z.string().optional(),
      conditions: z.array(Condition).default([]),
      initContainerStatuses: z.array(ContainerStatus).default([]),
      containerStatuses: z.array(ContainerStatus).default([]),
    })
    .optional(),
});

export interface LivePod {
  readonly name: string;
  readonly isEnding: boolean;
  /** Which security class admitted it, on clusters that have such classes. */
  readonly securityClass: string | undefined;
  readonly image: string | undefined;
  readonly phase: string;
  /** Why the cluster ended it (evicted, preempted). */
  readonly because: string | undefined;
  readonly conditions: readonly z.infer<typeof Condition>[];
  readonly init: readonly ContainerStatus[];
  readonly containers: readonly ContainerStatus[];
}

/** Undefined for an object that is no pod as we know it. */
export function livePod(object: KubernetesObject): LivePod | undefined {
  const read = PodShape.safeParse(object);
  if (!read.success) return undefined;
  const { metadata, spec, status } = read.data;
  return {
    name: metadata.name,
    isEnding: metadata.deletionTimestamp !== undefined,
    securityClass: metadata.annotations?.["openshift.io/scc"],
    image: spec?.containers[0]?.image,
    phase: status?.phase ?? "Pending",
    because: [status?.reason, status?.message].filter(Boolean).join(": ") || undefined,
    conditions: status?.conditions ?? [],
    init: status?.initContainerStatuses ?? [],
    containers: status?.containerStatuses ?? [],
  };
}

const DeploymentShape = z.object({
  metadata: z.object({ name: z.string(), generation: z.number().optional() }),
  spec: z.object({ replicas: z.number().default(1) }).optional(),
  status: z
    .object({
      observedGeneration: z.number().optional(),
      replicas: z.number().default(0),
      updatedReplicas: z.number().default(0),
      availableReplicas: z.number().default(0),
      conditions: z.array(Condition).default([]),
    })
    .optional(),
});

export interface LiveDeployment {
  readonly replicas: number;
  /** Whether the status speaks of the newest generation. */
  readonly isObserved: boolean;
  readonly running: number;
  readonly updated: number;
  readonly available: number;
  readonly conditions: readonly z.infer<typeof Condition>[];
}

/** Undefined for an object that is no Deployment as we know it. */
export function liveDeployment(object: KubernetesObject): LiveDeployment | undefined {
  const read = DeploymentShape.safeParse(object);
  if (!read.success) return undefined;
  const { metadata, spec, status } = read.data;
  return {
    replicas: spec?.replicas ?? 1,
    isObserved: (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0),
    running: status?.replicas ?? 0,
    updated: status?.updatedReplicas ?? 0,
    available: status?.availableReplicas ?? 0,
    conditions: status?.conditions ?? [],
  };
}
