import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { access, constants, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UsageError } from "./errors.ts";

export interface WriteOptions {
  /** Permission bits set when the file is created; 0600 unless said otherwise. */
  readonly mode?: number;
  /** Called when the new content is on disk, right before it replaces the old one; what it throws keeps the old one. */
  readonly beforeReplacing?: () => void;
}

/**
 * Replaces a file atomically: a reader, or this machine after a power cut, sees the old content or the new, never a mix. Writes
 * a temporary file beside it, syncs it, renames it, and syncs the folder.
 */
export async function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  const beside = besideOf(path);
  const file = await open(beside, "wx", options.mode ?? 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
    await file.close();
    options.beforeReplacing?.();
  } catch (thrown) {
    await file.close();
    await rm(beside, { force: true });
    throw thrown;
  }
  await rename(beside, path);
  await syncFolder(dirname(path));
}

/** As {@link writeFileAtomic}, for the few places that may not wait (an exit handler). */
export function writeFileAtomicSync(path: string, content: string, options: WriteOptions = {}): void {
  const beside = besideOf(path);
  const descriptor = openSync(beside, "wx", options.mode ?? 0o600);
  try {
    writeSync(descriptor, content);
    fsyncSync(descriptor);
    renameSync(beside, path);
  } catch (thrown) {
    rmSync(beside, { force: true });
    throw thrown;
  } finally {
    closeSync(descriptor);
  }
}

/** The text of a file, or undefined when there is none. Every other failure is thrown. */
export async function readTextIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  }
}

/** Makes a folder, and its parents, that only its owner may enter. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/**
 * Makes the data directory that a variable names.
 *
 * @throws UsageError naming the variable when it cannot be made or written to.
 */
export async function makeDataFolder(path: string, variable: string): Promise<void> {
  try {
    await makePrivateFolder(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    throw new UsageError(`${variable}: ${path} cannot be used as a data directory (${code})`, {
      hint: `set ${variable} to a folder that this user may write to`,
    });
  }
}

/** Whether a failed file operation failed because nothing is there. */
export function isAbsent(thrown: unknown): boolean {
  return (thrown as NodeJS.ErrnoException | undefined)?.code === "ENOENT";
}

function besideOf(path: string): string {
  return join(dirname(path), `.${randomBytes(6).toString("hex")}.part`);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** A text that is no longer than this is small: a secret, a key. */
const SMALL_BYTES = 4096;

/** The text of a small file, such as one that holds a secret; undefined for what is none. Never waits for the other end of a pipe. */
export async function readSmallText(file: string): Promise<string | undefined> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    return stats.isFile() && stats.size <= SMALL_BYTES ? await handle.readFile("utf8") : undefined;
  } finally {
    await handle.close();
  }
}
