import { NestError } from "@nest/kit";

/** An object in a listing. */
export interface BlobRow {
  readonly name: string;
  readonly bytes: number;
  readonly modifiedAt: number;
}

/** An object with its metadata. */
export interface BlobFacts extends BlobRow {
  /** Counts stored with the object: `files`, `spokes`. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly lockedUntil: number | undefined;
}

export interface PutOptions {
  readonly metadata: Readonly<Record<string, string>>;
  readonly lockedUntil?: number;
  readonly signal: AbortSignal;
}

/**
 * A storage for archives by name. An object is written once and never changed.
 *
 * Failures: `blob_exists` (the name is taken), `blob_absent`, `storage_forbidden`, `storage_unreachable`, `storage_failed`.
 */
export interface Blobs {
  /** Writes a new object. It appears under its name only when it is complete, and not at all when the content fails. */
  put(name: string, content: AsyncIterable<Buffer>, options: PutOptions): Promise<void>;
  get(name: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  facts(name: string, signal: AbortSignal): Promise<BlobFacts>;
  /** Every object whose name begins with `prefix`, over all pages, in no particular order. */
  list(prefix: string, signal: AbortSignal): AsyncIterable<BlobRow>;
  /** `locked`: an object lock protects it; `hidden`: only a delete marker was set, and the bytes are still stored. */
  remove(name: string, signal: AbortSignal): Promise<"removed" | "locked" | "hidden">;
  /** Cancels our unfinished uploads that began before `before`; returns their number. */
  sweep(isOurs: (name: string) => boolean, before: number, signal: AbortSignal): Promise<number>;
}

export function blobExists(name: string): NestError<"blob_exists"> {
  return new NestError("blob_exists", `there is an object ${name} already`);
}

export function blobAbsent(name: string): NestError<"blob_absent"> {
  return new NestError("blob_absent", `there is no object ${name}`);
}

export async function listed(blobs: Blobs, prefix: string, signal: AbortSignal): Promise<BlobRow[]> {
  const rows: BlobRow[] = [];
  for await (const row of blobs.list(prefix, signal)) rows.push(row);
  return rows;
}
