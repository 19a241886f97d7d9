import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { listed } from "./blobs.ts";
import { S3Blobs } from "./s3.ts";

// A storage whose listings are wrong. The behaviour of a correct one is tested with a real server.
let server: Server;
let asked: string[] = [];
let answer: (url: string) => string = () => "";
const before = { ...process.env };
// No end of its own: the time of one test is what the runner allows, and a clock that starts
// with the file would run out during the tests when a server before them starts slowly.
const { signal } = new AbortController();

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.setHeader("content-type", "application/xml");
    response.end(`<?xml version="1.0" encoding="UTF-8"?>${answer(request.url ?? "")}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  process.env.AWS_ACCESS_KEY_ID = "id";
  process.env.AWS_SECRET_ACCESS_KEY = "secret";
});
afterEach(async () => {
  process.env = { ...before };
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function storage(): S3Blobs {
  const { port } = server.address() as AddressInfo;
  return new S3Blobs("bucket", { NEST_BACKUP_OBJSTORE_ENDPOINT: `http://127.0.0.1:${port}` });
}

test.each(["", "<NextContinuationToken>same</NextContinuationToken>"])(
  "a list that goes on for ever, or nowhere, is refused and not taken for a whole one (%j)",
  async (next) => {
    answer = () => `<ListBucketResult><IsTruncated>true</IsTruncated>${next}</ListBucketResult>`;
    await expect(listed(storage(), "nest-", signal)).rejects.toMatchObject({ code: "storage_failed" });
    expect(asked.length).toBeLessThan(3);
  },
);

test.each(["", "<NextKeyMarker>same</NextKeyMarker><NextUploadIdMarker>same</NextUploadIdMarker>"])(
  "a list of uploads that goes on for ever, or nowhere, is refused (%j)",
  async (next) => {
    answer = () => `<ListMultipartUploadsResult><IsTruncated>true</IsTruncated>${next}</ListMultipartUploadsResult>`;
    await expect(storage().sweep(() => true, 1, signal)).rejects.toMatchObject({ code: "storage_failed" });
    expect(asked.length).toBeLessThan(3);
  },
);
