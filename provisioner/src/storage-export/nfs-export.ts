import { chmod, lchown, mkdir, rm, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { NestError } from "@nest/kit";
import { type ClusterRecord, NestId } from "@nest/protocol";
import { GROUP, USER } from "../manifests/deployment.ts";
import type { StorageExport } from "./storage-export.ts";

/** What a cluster with a file server says in `clusters.json`, beside `storage_type: nfs`. */
interface NfsCluster {
  /** `nfs_mount_ip`: the server as the nodes reach it. */
  readonly server: string;
  /** `nfs_path`: what it exports. */
  readonly path: string;
  /** `nfs_local_path`: where the hub itself has that export mounted, to make and remove folders in it. */
  readonly local: string;
}

/**
 * A folder for each nest on the export that the operator's server offers, as a volume of its own. The hub makes the folder where it
 * has the export mounted, and removes it when the namespace is gone.
 */
export const nfsExport: StorageExport = {
  async make(nestId, cluster) {
    const nfs = nfsOf(cluster);
    const folder = folderOf(nfs, nestId);
    await mounted(nfs, cluster.id);
    await mkdir(folder, { recursive: true, mode: 0o770 }).catch((thrown) => {
      throw failed(`${folder} cannot be made`, thrown);
    });
    // Where the hub may not give folders away, the pod's init-permissions does it.
    await lchown(folder, USER, GROUP).catch(() => chmod(folder, 0o777));
    return { objstore_file_system_id: `nfs:${nfs.server}`, objstore_export_id: join(nfs.path, nestId) };
  },
  volume(record) {
    if (record.objstore_export_id === "" || !record.objstore_file_system_id.startsWith("nfs:")) return undefined;
    return {
      kind: "nfs",
      server: record.objstore_file_system_id.slice("nfs:".length),
      path: record.objstore_export_id,
    };
  },
  async remove(record, cluster) {
    if (!record.objstore_file_system_id.startsWith("nfs:")) return;
    const nfs = nfsOf(cluster);
    // The record may have been edited: only the nest's own folder on the cluster's own export is removed.
    if (record.objstore_export_id !== join(nfs.path, record.id))
      throw refused(
        `the record's export ${JSON.stringify(record.objstore_export_id)} is not the nest's on ${cluster.id}`,
      );
    await mounted(nfs, cluster.id);
    await rm(folderOf(nfs, record.id), { recursive: true, force: true }).catch((thrown) => {
      throw failed(`the data of ${record.id} cannot be removed`, thrown);
    });
  },
};

function nfsOf(cluster: ClusterRecord): NfsCluster {
  const { nfs_mount_ip: server, nfs_path: path, nfs_local_path: local } = cluster;
  if (typeof server !== "string" || server === "") throw refused(`cluster ${cluster.id}: nfs_mount_ip names no server`);
  if (typeof path !== "string" || !isAbsolute(path))
    throw refused(`cluster ${cluster.id}: nfs_path is no absolute path`);
  if (typeof local !== "string" || !isAbsolute(local))
    throw refused(`cluster ${cluster.id}: nfs_local_path does not say where the hub has the export mounted`);
  return { server, path, local };
}

function folderOf({ local }: NfsCluster, nestId: string): string {
  if (!NestId.safeParse(nestId).success) throw refused(`${JSON.stringify(nestId)} is no id of a nest`);
  return join(local, nestId);
}

/** A mount that is missing would put the nest's folder on the hub's own disk, where no node finds it. */
async function mounted({ local }: NfsCluster, clusterId: string): Promise<void> {
  const found = await stat(local).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw failed(`cluster ${clusterId}: nfs_local_path ${local} is not there`, undefined);
}

function refused(sentence: string): NestError {
  return new NestError("storage_export_refused", sentence, { hint: "correct the cluster's entry in clusters.json" });
}

function failed(sentence: string, thrown: unknown): NestError {
  const code = (thrown as NodeJS.ErrnoException | undefined)?.code;
  return new NestError("storage_export_failed", `${sentence}${code === undefined ? "" : ` (${code})`}`);
}
