import { NestError, type Secret } from "@nest/kit";
import type { ClusterRecord } from "@nest/protocol";
import type { StorageExport } from "./storage-export.ts";

/** What gives out credentials of an object storage; each operator's storage has its own way. */
export interface PrefixCredentials {
  /** A credential that reaches one prefix and nothing else. Asked again for the same nest it gives a new one in place of the old. */
  make(
    request: PrefixRequest,
    signal: AbortSignal,
  ): Promise<{ readonly accessKeyId: Secret; readonly secretAccessKey: Secret }>;
  /** Takes the nest's credential away, then all objects of the prefix. Nothing there is no fault. */
  remove(request: PrefixRequest, signal: AbortSignal): Promise<void>;
}

export interface PrefixRequest {
  readonly nestId: string;
  readonly bucket: string;
  /** Ends with a slash, so that one nest's is never the beginning of another's. */
  readonly prefix: string;
}

const ROOT = "nests/";

/**
 * A prefix of an object storage for each nest, with a credential of its own that goes into the nest's Secret. The cluster names
 * the bucket (`s3_bucket`).
 */
export function prefixExport(credentials: PrefixCredentials): StorageExport {
  return {
    async make(nestId, cluster, signal) {
      const request = { nestId, bucket: bucketOf(cluster), prefix: prefixOf(nestId) };
      const { accessKeyId, secretAccessKey } = await credentials.make(request, signal);
      return {
        objstore_file_system_id: `s3:${request.bucket}`,
        objstore_export_id: request.prefix,
        secrets: { "s3-access-key-id": accessKeyId, "s3-secret-access-key": secretAccessKey },
      };
    },
    volume: () => undefined,
    async remove(record, _, signal) {
      const { id, objstore_file_system_id: system, objstore_export_id: prefix } = record;
      if (!system.startsWith("s3:")) return;
      // The record may have been edited; another nest's objects are not removed for it.
      if (prefix !== prefixOf(id))
        throw new NestError(
          "storage_export_refused",
          `the record's prefix ${JSON.stringify(prefix)} is not the nest's own`,
          {
            hint: "correct objstore_export_id in the record",
          },
        );
      await credentials.remove({ nestId: id, bucket: system.slice("s3:".length), prefix }, signal);
    },
  };
}

function prefixOf(nestId: string): string {
  return `${ROOT}${nestId}/`;
}

function bucketOf(cluster: ClusterRecord): string {
  const { s3_bucket: bucket } = cluster;
  if (typeof bucket === "string" && /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) return bucket;
  throw new NestError("storage_export_refused", `cluster ${cluster.id}: s3_bucket names no bucket`, {
    hint: "correct the cluster's entry in clusters.json",
  });
}
