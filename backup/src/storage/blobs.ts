import { NestError } from "@nest/kit";

/** An object as a listing tells it. */
export interface BlobRow {
  readonly name: string;
  readonly bytes: number;
  readonly modifiedAt: number;
}

/** An object looked at by itself. */
export interface BlobFacts extends BlobRow {
  /** Counts written with it: `files`, `spokes`. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly lockedUntil: number | undefined;
}

export interface PutOptions {
  readonly metadata: Readonly<Record<string, string>>;
  readonly lockedUntil?: number;
  readonly signal: AbortSignal;
}

/**
 * A place that keeps archives by name. Written once, never changed.
 *
 * Failures: `blob_exists` (the name is taken), `blob_absent`, `storage_forbidden`, `storage_unreachable`, `storage_failed`.
 */
export interface Blobs {
  /** Writes a new object; nothing is under the name until all of it is there, and nothing when the content fails. */
  put(name: string, content: AsyncIterable<Buffer>, options: PutOptions): Promise<void>;
  get(name: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  facts(name: string, signal: AbortSignal): Promise<BlobFacts>;
  /** Every object whose name begins so, over as many pages as it takes, in no promised order. */
  list(prefix: string, signal: AbortSignal): AsyncIterable<BlobRow>;
  /** `locked`: it is held by a lock and stays; `hidden`: it was only hidden, its bytes are still kept. */
  remove(name: string, signal: AbortSignal): Promise<"removed" | "locked" | "hidden">;
  /** Ends uploads that were begun before `before` and never finished, where the name is ours; tells how many. */
  sweep(isOurs: (name: string) => boolean, before: number, signal: AbortSignal): Promise<number>;
}

export function blobExists(name: string): NestError<"blob_exists"> {
  return new NestError("blob_exists", `there is an object ${name} already`);
}

export function blobAbsent(name: string): NestError<"blob_absent"> {
  return new NestError("blob_absent", `there is no object ${name}`);
}

/** All rows of a listing. */
export async function listed(blobs: Blobs, prefix: string, signal: AbortSignal): Promise<BlobRow[]> {
  const rows: BlobRow[] = [];
  for await (const row of blobs.list(prefix, signal)) rows.push(row);
  return rows;
}
