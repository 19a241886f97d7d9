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
/** Parts double every thousand, so that ten thousand of them reach past the largest object. */
const PARTS_OF_A_SIZE = 1000;
/** More would not be faster and would hold more memory. */
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
 * Uploads content of unknown length: in one call when it is small, else in parts while it comes into being, a few in flight. The
 * name must be free (create-only). When anything fails, or the signal says so, the upload is taken back.
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

/** Not every storage heeds the condition when an upload in parts is completed; looking just before leaves a moment, not hours. */
async function refuseTaken(to: Upload): Promise<void> {
  const { Bucket, Key } = to.object;
  const found = await to.client
    .send(new HeadObjectCommand({ Bucket, Key }), { abortSignal: to.signal })
    .catch((thrown: unknown) => {
      // Without the right to look, the condition is all there is.
      if (statusOf(thrown) === 404 || statusOf(thrown) === 403) return undefined;
      throw thrown;
    });
  if (found !== undefined) throw blobExists(Key);
}

/** Memory for parts, used again once a part has arrived: what waits to be collected would count as used. */
class PartMemory {
  #free: Buffer[] = [];

  take(bytes: number): Buffer {
    const buffer = this.#free.pop();
    if (buffer?.length === bytes) return buffer;
    // Parts have grown; smaller ones are of no use any more.
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

/** Every store checks it; newer checksums are refused by some. */
function md5(body: Buffer): string {
  return createHash("md5").update(body).digest("base64");
}
