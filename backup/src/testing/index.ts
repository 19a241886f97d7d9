export { S3Blobs } from "../storage/s3.ts";
export { HubUnderTest, KEY } from "./a-hub.ts";
export { blobsContract } from "./blobs-contract.ts";
export { postgresTool } from "./postgres-tool.ts";
export { storageTool } from "./storage-tool.ts";
