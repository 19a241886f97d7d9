import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  S3Client,
} from "@aws-sdk/client-s3";

/** Changes a storage directly, without the product, for tests. */
export function storageTool(endpoint: string) {
  const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true });
  return {
    async makeBucket(name: string, options: { readonly locks?: boolean } = {}): Promise<void> {
      await client.send(new CreateBucketCommand({ Bucket: name, ObjectLockEnabledForBucket: options.locks ?? false }));
    },
    async beginUpload(bucket: string, name: string): Promise<void> {
      await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: name }));
    },
    async uploads(bucket: string): Promise<string[]> {
      const found = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
      return (found.Uploads ?? []).map(({ Key }) => Key ?? "").sort();
    },
  };
}
