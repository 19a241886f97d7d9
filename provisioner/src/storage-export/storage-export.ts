import type { Secret } from "@nest/kit";
import type { ClusterRecord, HostedNestRecord } from "@nest/protocol";
import type { NestVolume } from "../manifests/spec.ts";

/** What was made for a nest, as its record keeps it (spec: Hosted instance record). */
export interface ExportIds {
  readonly objstore_file_system_id: string;
  readonly objstore_export_id: string;
  /** Entries of the nest's Secret: the credential of its own. */
  readonly secrets?: Readonly<Record<string, Secret>>;
}

/**
 * Where the storage of a nest comes from beside its cluster (spec: an object-storage file-system export). Making one that is there
 * and removing one that is gone are no faults, because a hub may be killed between the act and its record.
 *
 * Failures: `storage_export_failed`, which is tried again; `storage_export_refused`, which is not.
 */
export interface StorageExport {
  /** Makes what the nest needs; undefined where its cluster needs nothing of ours. */
  make(nestId: string, cluster: ClusterRecord, signal: AbortSignal): Promise<ExportIds | undefined>;
  /** The volume that the nest's claim is bound to; undefined where the storage class makes one. */
  volume(record: HostedNestRecord, cluster: ClusterRecord): NestVolume | undefined;
  /** Removes what the record names, after the namespace is gone. */
  remove(record: HostedNestRecord, cluster: ClusterRecord, signal: AbortSignal): Promise<void>;
}

/** No storage of ours: the cluster's storage class provisions the volume. */
export const noStorageExport: StorageExport = {
  make: async () => undefined,
  volume: () => undefined,
  remove: async () => undefined,
};
