import { access } from "node:fs/promises";
import { basename, isAbsolute, join } from "node:path";
import { type Cluster, clusterOf, ownCluster } from "@nest/cluster";
import { NestError } from "@nest/kit";
import type { ClusterEntry } from "../fleet/fleet.ts";
import type { Settings } from "../settings/settings.ts";

/**
 * The hub's own cluster: the one in the kubeconfig that `KUBECONFIG` names, else the one in which this pod runs. The default
 * file in the home directory is never read, because nobody said that its cluster is the hub's.
 *
 * @throws NestError `cluster_not_configured`
 */
export async function hubCluster(settings: Settings): Promise<Cluster> {
  if (settings.kubeconfig !== undefined) return clusterOf(settings.kubeconfig);
  if (settings.isInPod) return ownCluster();
  throw new NestError("cluster_not_configured", "this is no pod of a cluster, and KUBECONFIG is not set", {
    hint: "run it in the hub's cluster (deploy/backup), or set KUBECONFIG",
  });
}

/** The cluster of an entry in `clusters.json`. A remote cluster needs a kubeconfig of its own. */
export async function entryCluster(entry: ClusterEntry, settings: Settings): Promise<Cluster> {
  if (entry.in_cluster === true) return hubCluster(settings);
  for (const file of candidatesOf(entry, settings.kubeconfigDir)) {
    if (await isThere(file)) return clusterOf(file, entry.context);
  }
  throw new NestError("kubeconfig_unusable", `cluster "${entry.id}" has no kubeconfig in ${settings.kubeconfigDir}`);
}

function candidatesOf(entry: ClusterEntry, folder: string): string[] {
  const path = entry.kubeconfig_path;
  if (path !== undefined && path !== "") {
    return isAbsolute(path) ? [path, join(folder, basename(path))] : [join(folder, basename(path))];
  }
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(entry.id)) return [];
  return ["", ".yaml", ".kubeconfig"].map((ending) => join(folder, `${entry.id}${ending}`));
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
