import type { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  type MultipartUpload,
  S3Client,
} from "@aws-sdk/client-s3";
import { type Environment, NestError, variable } from "@nest/kit";
import { type BlobFacts, type BlobRow, type Blobs, blobAbsent, type PutOptions } from "./blobs.ts";
import { upload } from "./multipart.ts";
import { statusOf, storageFault } from "./s3-faults.ts";

const MOST_ATTEMPTS = 5;
const CONNECT_TIMEOUT_MS = 10_000;
/** How long a connection may send no data. */
const SILENCE_TIMEOUT_MS = 60_000;

/**
 * Stores objects in any S3-compatible storage. Credentials come from the standard chain; a configured endpoint gets
 * path-style addresses.
 */
export class S3Blobs implements Blobs {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor(bucket: string, environment: Environment, silenceMs = SILENCE_TIMEOUT_MS) {
    const endpoint = variable(environment, "NEST_BACKUP_OBJSTORE_ENDPOINT");
    this.#bucket = bucket;
    this.#client = new S3Client({
      region: environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION ?? "us-east-1",
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      maxAttempts: MOST_ATTEMPTS,
      requestHandler: {
        connectionTimeout: CONNECT_TIMEOUT_MS,
        requestTimeout: silenceMs,
        socketTimeout: silenceMs,
        throwOnRequestTimeout: true,
      },
    });
  }

  async put(name: string, content: AsyncIterable<Buffer>, options: PutOptions): Promise<void> {
    const lock =
      options.lockedUntil === undefined
        ? {}
        : { ObjectLockMode: "COMPLIANCE" as const, ObjectLockRetainUntilDate: new Date(options.lockedUntil) };
    const object = { Bucket: this.#bucket, Key: name, Metadata: { ...options.metadata }, ...lock };
    await this.#send(name, options.signal, () =>
      upload(content, { client: this.#client, object, signal: options.signal }),
    );
  }

  async *get(name: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: name });
    const answer = await this.#send(name, signal, () => this.#client.send(command, { abortSignal: signal }));
    const body = answer.Body as Readable | undefined;
    if (body === undefined) throw blobAbsent(name);
    let bytes = 0;
    try {
      for await (const piece of body) {
        bytes += (piece as Uint8Array).length;
        yield piece as Uint8Array;
      }
    } catch (thrown) {
      signal.throwIfAborted();
      throw storageFault(thrown, name);
    } finally {
      body.destroy();
    }
    if (bytes !== answer.ContentLength) throw storageFault(new Error(`the answer stopped at byte ${bytes}`), name);
  }

  async facts(name: string, signal: AbortSignal): Promise<BlobFacts> {
    const object = { Bucket: this.#bucket, Key: name };
    const head = await this.#send(name, signal, () =>
      this.#client.send(new HeadObjectCommand(object), { abortSignal: signal }),
    );
    return {
      name,
      bytes: head.ContentLength ?? 0,
      modifiedAt: head.LastModified?.getTime() ?? 0,
      metadata: head.Metadata ?? {},
      lockedUntil: head.ObjectLockRetainUntilDate?.getTime(),
    };
  }

  async *list(prefix: string, signal: AbortSignal): AsyncGenerator<BlobRow> {
    let ContinuationToken: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix: prefix,
        ...(ContinuationToken === undefined ? {} : { ContinuationToken }),
      });
      const page = await this.#send(prefix, signal, () => this.#client.send(command, { abortSignal: signal }));
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        yield { name: Key ?? "", bytes: Size ?? 0, modifiedAt: LastModified?.getTime() ?? 0 };
      }
      const next = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      if (page.IsTruncated === true && (next === undefined || next === ContinuationToken)) throw standsStill(prefix);
      ContinuationToken = next;
    } while (ContinuationToken !== undefined);
  }

  async remove(name: string, signal: AbortSignal): Promise<"removed" | "locked" | "hidden"> {
    const command = new DeleteObjectCommand({ Bucket: this.#bucket, Key: name });
    try {
      const answer = await this.#client.send(command, { abortSignal: signal });
      return answer.DeleteMarker === true ? "hidden" : "removed";
    } catch (thrown) {
      signal.throwIfAborted();
      if (statusOf(thrown) === 403) return "locked";
      throw storageFault(thrown, name);
    }
  }

  async sweep(isOurs: (name: string) => boolean, before: number, signal: AbortSignal): Promise<number> {
    let swept = 0;
    for await (const { Key, UploadId, Initiated } of this.#uploads(signal)) {
      if (Key === undefined || !isOurs(Key) || Initiated === undefined || Initiated.getTime() >= before) continue;
      const command = new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key, UploadId });
      await this.#send(Key, signal, () => this.#client.send(command, { abortSignal: signal }));
      swept += 1;
    }
    return swept;
  }

  async *#uploads(signal: AbortSignal): AsyncGenerator<MultipartUpload> {
    let at: UploadPlace | undefined = {};
    while (at !== undefined) {
      const listing: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({ Bucket: this.#bucket, ...at });
      const page: ListMultipartUploadsCommandOutput = await this.#send("uploads", signal, () =>
        this.#client.send(listing, { abortSignal: signal }),
      );
      yield* page.Uploads ?? [];
      const next = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker };
      if (page.IsTruncated === true && isSame(at, next)) throw standsStill("uploads");
      at = page.IsTruncated === true ? next : undefined;
    }
  }

  async #send<Answer>(name: string, signal: AbortSignal, act: () => Promise<Answer>): Promise<Answer> {
    try {
      return await act();
    } catch (thrown) {
      signal.throwIfAborted();
      throw storageFault(thrown, name);
    }
  }
}

interface UploadPlace {
  readonly KeyMarker?: string | undefined;
  readonly UploadIdMarker?: string | undefined;
}

function isSame(one: UploadPlace, other: UploadPlace): boolean {
  return one.KeyMarker === other.KeyMarker && one.UploadIdMarker === other.UploadIdMarker;
}

/**
 * The error for a listing that does not advance. An incomplete listing, taken for complete, could let good archives be
 * removed; an endless one would never finish.
 */
function standsStill(what: string): NestError<"storage_failed"> {
  return new NestError("storage_failed", `the storage says that its list of ${what} goes on, and not where`);
}
