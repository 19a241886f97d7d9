import { fileURLToPath } from "node:url";
import type { Environment } from "@nest/kit";
import { bucketFrom } from "../settings/settings.ts";
import type { Blobs } from "./blobs.ts";
import { FolderBlobs } from "./folder.ts";

/** The storage that the environment names. @throws NestError `bucket_missing` */
export async function openBlobs(environment: Environment): Promise<Blobs> {
  const bucket = bucketFrom(environment);
  if (bucket.startsWith("file://")) return new FolderBlobs(fileURLToPath(bucket));
  // Loaded when it is needed: a wrong key on a local file is told in a fraction of the time this takes.
  const { S3Blobs } = await import("./s3.ts");
  return new S3Blobs(bucket, environment);
}
