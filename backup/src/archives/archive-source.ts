import { createReadStream } from "node:fs";
import { type ArchiveContent, type ArchiveKey, type ByteSource, type MemberVisitor, readArchive } from "@nest/archive";
import { isAbsent, NestError, UsageError } from "@nest/kit";
import type { BackupDeps } from "../deps/deps.ts";

const PIECE_BYTES = 1024 * 1024;
const MIB = 1024 * 1024;

/** Reads a local archive. @throws NestError `file_unreadable` when it cannot be opened. */
export async function* fileSource(file: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES, signal })) yield piece as Buffer;
  } catch (thrown) {
    signal.throwIfAborted();
    const code = (thrown as NodeJS.ErrnoException).code;
    const word = isAbsent(thrown) ? "does not exist" : `cannot be read (${code})`;
    throw new NestError("file_unreadable", `${file} ${word}`, { cause: thrown });
  }
}

/**
 * The archive that a command names: a local file (`-file`) or one in the storage (`-name`). Each call reads it from its
 * beginning.
 *
 * @throws UsageError unless exactly one of the two is given.
 */
export async function namedSource(
  deps: BackupDeps,
  flags: { readonly file?: string; readonly name?: string },
): Promise<() => ByteSource> {
  const { file, name } = flags;
  if ((file === undefined) === (name === undefined))
    throw new UsageError("name the archive: -file ARCHIVE or -name NAME");
  if (file !== undefined) return () => fileSource(file, deps.signal);
  const blobs = await deps.openBlobs();
  return () => blobs.get(name ?? "", deps.signal);
}

/** Reads and verifies an archive, or throws. `onlyChunked` refuses the older form, which must be kept whole in memory. */
export function checkArchive(
  deps: BackupDeps,
  sealed: ByteSource,
  key: ArchiveKey,
  how: { readonly visitor?: MemberVisitor; readonly onlyChunked?: boolean } = {},
): Promise<ArchiveContent> {
  const progress = ({ files, bytes }: { files: number; bytes: number }) =>
    deps.tell(`checking: ${files} files, ${Math.round(bytes / MIB)} MiB`);
  const { visitor, onlyChunked = false } = how;
  return readArchive(sealed, { keys: [key], signal: deps.signal, progress, onlyChunked }, visitor);
}
