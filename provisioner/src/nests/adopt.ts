import { NestError } from "@nest/kit";
import { type HostedNestRecord, namespaceOf } from "@nest/protocol";
import { labelsOf } from "../manifests/metadata.ts";
import { authorityOf } from "../manifests/spec.ts";
import { objectsByStep } from "../nest.ts";
import { ownObject } from "../operations/ownership.ts";
import { deploymentRef } from "../operations/scale-steps.ts";
import { specOf } from "../operations/tools.ts";
import type { ProvisionerDeps } from "./requests.ts";

interface Adoption {
  readonly id: string;
  readonly clusterId: string;
  readonly signal: AbortSignal;
}

/** See `Provisioner.adopt`. */
export async function adoptNest(deps: ProvisionerDeps, { id, clusterId, signal }: Adoption): Promise<HostedNestRecord> {
  const { records, clusters, defaults } = deps;
  const record = await records.get(id);
  const home = await clusters.get(clusterId);
  const ref = { apiVersion: "v1", kind: "Namespace", name: namespaceOf(id) };
  const namespace = await ownObject(home, ref, defaults.hub.id, signal);
  const deployment = await home.cluster.read(deploymentRef(id), signal);
  if (namespace === undefined || deployment === undefined)
    throw new NestError("nest_not_on_cluster", `${namespaceOf(id)} on ${clusterId} has no nest to adopt`);
  const spec = specOf({ ...record, cluster_id: clusterId }, home.record, deps);
  const { annotations } = objectsByStep(spec).namespace[0]?.metadata ?? {};
  const labels = labelsOf(spec);
  await home.cluster.patch(ref, { metadata: { labels, annotations } }, signal);
  // By its label the hub follows it from now on.
  await home.cluster.patch(deploymentRef(id), { metadata: { labels } }, signal);
  const available = (deployment.status as { readonly availableReplicas?: number } | undefined)?.availableReplicas ?? 0;
  return records.change(id, (before) => {
    if (before.operation !== undefined) throw new NestError("nest_busy", "something is under way already");
    const subdomain = authorityOf({ id, cluster: home.record }) ?? before.subdomain;
    return { ...before, cluster_id: clusterId, subdomain, status: available > 0 ? "running" : before.status };
  });
}
