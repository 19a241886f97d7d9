import { createHash } from "node:crypto";
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  type ObjectLockMode,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { blobExists } from "./blobs.ts";
import { statusOf } from "./s3-faults.ts";

const FIRST_PART_BYTES = 8 * 1024 * 1024;
/** The part size doubles every thousand parts, so that the allowed ten thousand suffice for the largest object. */
const PARTS_OF_A_SIZE = 1000;
/** More parallel uploads would need more memory and would not be faster. */
const AT_ONCE = 3;
const ABORT_TIMEOUT_MS = 10_000;

export interface Upload {
  readonly client: S3Client;
  readonly object: {
    readonly Bucket: string;
    readonly Key: string;
    readonly Metadata: Record<string, string>;
    readonly ObjectLockMode?: ObjectLockMode;
    readonly ObjectLockRetainUntilDate?: Date;
  };
  readonly signal: AbortSignal;
}

/**
 * Uploads content of unknown length: small content in one request, else in parts, a few in parallel, while the content is
 * produced. The name must be free (create-only). When anything fails, or the signal aborts, the upload is cancelled.
 */
export async function upload(content: AsyncIterable<Buffer>, to: Upload): Promise<void> {
  const memory = new PartMemory();
  const parts = partsOf(content, memory)[Symbol.asyncIterator]();
  const first = await parts.next();
  const second = first.done === true ? first : await parts.next();
  if (second.done === true) {
    const body = first.done === true ? Buffer.alloc(0) : first.value;
    const command = new PutObjectCommand({ ...to.object, Body: body, ContentMD5: md5(body), IfNoneMatch: "*" });
    await to.client.send(command, { abortSignal: to.signal });
    return;
  }
  await inParts(chain([first.value as Buffer, second.value], parts), memory, to);
}

async function inParts(parts: AsyncIterable<Buffer>, memory: PartMemory, to: Upload): Promise<void> {
  const { Bucket, Key } = to.object;
  const begun = await to.client.send(new CreateMultipartUploadCommand(to.object), { abortSignal: to.signal });
  const UploadId = begun.UploadId;
  const done: CompletedPart[] = [];
  const underWay = new Set<Promise<void>>();
  const failed = new AbortController();
  const abortSignal = AbortSignal.any([to.signal, failed.signal]);
  const send = async (PartNumber: number, Body: Buffer) => {
    const command = new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body, ContentMD5: md5(Body) });
    const { ETag } = await to.client.send(command, { abortSignal });
    done.push({ PartNumber, ...(ETag === undefined ? {} : { ETag }) });
    memory.give(Body);
  };
  try {
    let number = 0;
    for await (const part of parts) {
      abortSignal.throwIfAborted();
      number += 1;
      const sent = send(number, part);
      underWay.add(sent);
      sent.then(
        () => underWay.delete(sent),
        (thrown) => failed.abort(thrown),
      );
      if (underWay.size >= AT_ONCE) await Promise.race(underWay);
    }
    await Promise.all(underWay);
    await refuseTaken(to);
    const Parts = done.sort((one, other) => (one.PartNumber ?? 0) - (other.PartNumber ?? 0));
    const command = new CompleteMultipartUploadCommand({
      Bucket,
      Key,
      UploadId,
      MultipartUpload: { Parts },
      IfNoneMatch: "*",
    });
    await to.client.send(command, { abortSignal: to.signal });
  } catch (thrown) {
    failed.abort(thrown);
    await Promise.allSettled(underWay);
    const takeBack = new AbortMultipartUploadCommand({ Bucket, Key, UploadId });
    await to.client.send(takeBack, { abortSignal: AbortSignal.timeout(ABORT_TIMEOUT_MS) }).catch(() => {});
    throw thrown;
  }
}

/**
 * Checks that the name is free just before completing a multipart upload: not every storage honours the condition on
 * completion, and this reduces the race from hours to a moment.
 */
async function refuseTaken(to: Upload): Promise<void> {
  const { Bucket, Key } = to.object;
  const found = await to.client
    .send(new HeadObjectCommand({ Bucket, Key }), { abortSignal: to.signal })
    .catch((thrown: unknown) => {
      // Without permission to look, only the condition protects the name.
      if (statusOf(thrown) === 404 || statusOf(thrown) === 403) return undefined;
      throw thrown;
    });
  if (found !== undefined) throw blobExists(Key);
}

/** Reuses the memory of parts that were uploaded: garbage that waits for collection would count as used memory. */
class PartMemory {
  #free: Buffer[] = [];

  take(bytes: number): Buffer {
    const buffer = this.#free.pop();
    if (buffer?.length === bytes) return buffer;
    // The part size has grown; smaller buffers are useless now.
    this.#free = [];
    return Buffer.allocUnsafeSlow(bytes);
  }

  give(part: Buffer): void {
    this.#free.push(Buffer.from(part.buffer));
  }
}

async function* partsOf(content: AsyncIterable<Buffer>, memory: PartMemory): AsyncGenerator<Buffer> {
  const sizeOf = (number: number) => FIRST_PART_BYTES * 2 ** Math.floor(number / PARTS_OF_A_SIZE);
  let number = 0;
  let part = memory.take(sizeOf(number));
  let filled = 0;
  for await (const piece of content) {
    for (let at = 0; at < piece.length; ) {
      const count = piece.copy(part, filled, at);
      at += count;
      filled += count;
      if (filled < part.length) continue;
      yield part;
      number += 1;
      part = memory.take(sizeOf(number));
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}

async function* chain(first: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* first;
  for (;;) {
    const next = await rest.next();
    if (next.done === true) return;
    yield next.value;
  }
}

/** Every storage checks MD5; some reject newer checksums. */
function md5(body: Buffer): string {
  return createHash("md5").update(body).digest("base64");
}
