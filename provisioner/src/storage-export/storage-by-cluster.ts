import { NestError } from "@nest/kit";
import type { ClusterRecord } from "@nest/protocol";
import { nfsExport } from "./nfs-export.ts";
import { type PrefixCredentials, prefixExport } from "./prefix-export.ts";
import { noStorageExport, type StorageExport } from "./storage-export.ts";

/**
 * The storage that each cluster asks for: `storage_type` is `nfs`, `s3`, or absent (also `dynamic`) where the storage class does it
 * all. What was made for a nest is removed as its record has it, also when the cluster's entry says something else by now.
 */
export function storageByCluster(credentials?: PrefixCredentials): StorageExport {
  const prefix = credentials === undefined ? noCredentials : prefixExport(credentials);
  const wanted = ({ id, storage_type: type }: ClusterRecord): StorageExport => {
    if (type === undefined || type === "dynamic" || type === "none") return noStorageExport;
    if (type === "nfs") return nfsExport;
    if (type === "s3") return prefix;
    throw new NestError("storage_export_refused", `cluster ${id}: storage_type ${JSON.stringify(type)} is unknown`, {
      hint: "nfs, s3 or dynamic",
    });
  };
  const made = (system: string): StorageExport => {
    if (system.startsWith("nfs:")) return nfsExport;
    return system.startsWith("s3:") ? prefix : noStorageExport;
  };
  return {
    make: async (nestId, cluster, signal) => wanted(cluster).make(nestId, cluster, signal),
    volume: (record, cluster) => made(record.objstore_file_system_id).volume(record, cluster),
    remove: (record, cluster, signal) => made(record.objstore_file_system_id).remove(record, cluster, signal),
  };
}

const refuse = async (): Promise<never> => {
  throw new NestError("storage_export_refused", "this hub has no way to make credentials of the object storage", {
    hint: "choose another storage_type for the cluster",
  });
};
const noCredentials: StorageExport = { make: refuse, volume: () => undefined, remove: refuse };
