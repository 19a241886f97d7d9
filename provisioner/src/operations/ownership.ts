import type { KubernetesObject, ObjectRef } from "@nest/cluster";
import { NestError } from "@nest/kit";
import { HUB_ANNOTATION, HUB_LABEL, labelValue } from "../manifests/metadata.ts";
import type { WorkCluster } from "../work/step.ts";

/**
 * Reads an object that is about to be changed or removed.
 *
 * @returns Undefined when there is none.
 * @throws NestError `nest_belongs_elsewhere` naming it, when another hub made it or nobody says that it is a nest's.
 */
export async function ownObject(
  { cluster }: Pick<WorkCluster, "cluster">,
  ref: ObjectRef,
  hubId: string,
  signal: AbortSignal,
): Promise<KubernetesObject | undefined> {
  const object = await cluster.read(ref, signal);
  if (object === undefined) return undefined;
  const { labels = {}, annotations = {} } = object.metadata;
  const owner = annotations[HUB_ANNOTATION] ?? labels[HUB_LABEL];
  // One that was applied by hand names no hub: it is a nest's, so the hub that has its record may adopt it.
  if (owner === undefined ? labels.app === "nest" : owner === hubId || owner === labelValue(hubId)) return object;
  const whose = owner === undefined ? "is no nest's" : `belongs to the hub ${owner}`;
  throw new NestError("nest_belongs_elsewhere", `${ref.kind} ${ref.name} ${whose}`, {
    hint: "give the nest another id, or remove the object yourself if nobody needs it",
  });
}
