import { fileURLToPath } from "node:url";
import type { Environment } from "@nest/kit";
import { bucketFrom } from "../settings/settings.ts";
import type { Blobs } from "./blobs.ts";
import { FolderBlobs } from "./folder.ts";

/** The storage that the environment names. @throws NestError `bucket_missing` */
export async function openBlobs(environment: Environment): Promise<Blobs> {
  const bucket = bucketFrom(environment);
  if (bucket.startsWith("file://")) return new FolderBlobs(fileURLToPath(bucket));
  // Loaded only here, because it takes long: commands on a local file need not wait for it.
  const { S3Blobs } = await import("./s3.ts");
  return new S3Blobs(bucket, environment);
}
