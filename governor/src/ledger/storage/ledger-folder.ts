import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent } from "@nest/kit";
import { LedgerFile, unreadable, writeFailed } from "./ledger-file.ts";

const LOG = /^log-(\d{8})(?:-[0-9a-f]{16})?\.jsonl$/;
const SNAPSHOT = /^snapshot-(\d{8})-([0-9a-f]{16})\.(\d{3})\.jsonl$/;
const UNFINISHED = /^\.snapshot-[0-9a-z.-]{1,80}\.part$/;
export const FIRST_LOG = "log-00000001.jsonl";
/** More entries than any ledger has; whoever puts more there does not keep the reader. */
const MOST_ENTRIES = 10_000;

export interface LedgerEntries {
  readonly logs: readonly string[];
  /** Names of snapshot heads, the newest first. */
  readonly heads: readonly string[];
  /** Everything that belongs to a ledger, what a killed compaction left among it. */
  readonly all: readonly string[];
}

/** The names, in a ledger's folder, of what belongs to it. */
export async function listLedger(folder: string): Promise<LedgerEntries> {
  const all = (await readdir(folder))
    .slice(0, MOST_ENTRIES)
    .filter((name) => LOG.test(name) || SNAPSHOT.test(name) || UNFINISHED.test(name))
    .sort();
  return {
    all,
    logs: all.filter((name) => LOG.test(name)),
    heads: all.filter((name) => SNAPSHOT.exec(name)?.[3] === "000").reverse(),
  };
}

/** Which generation a file is of: each compaction begins a new one. 0 for a name that is of none. */
export function generationOf(name: string): number {
  return Number(/^\.?(?:log|snapshot)-(\d{8})/.exec(name)?.[1] ?? 0);
}

/** The log of a generation that a compaction begins; `nonce` keeps two who begin it at once apart. */
export function logName(generation: number, nonce: string): string {
  return `log-${String(generation).padStart(8, "0")}-${nonce}.jsonl`;
}

/** The file names of the snapshot that a log goes on from; part 0 is the head. */
export function snapshotName(log: string, part: number): string {
  return `${log.replace(/^log/, "snapshot").replace(/\.jsonl$/, "")}.${String(part).padStart(3, "0")}.jsonl`;
}

/** Makes the folder where there is none. @throws NestError `ledger_unreadable` when a link or a file stands in its place. */
export async function makeLedgerFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!(await lstat(folder)).isDirectory()) throw unreadable(folder, "it is not a folder");
}

/** Opens a log to read and append, and makes it when there is none. */
export async function openOrMakeLog(folder: string, name: string): Promise<LedgerFile> {
  const path = join(folder, name);
  try {
    const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    await giveToFolderOwner(folder, handle);
    await handle.close();
    await syncFolder(folder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EEXIST") throw writeFailed(path, thrown);
  }
  return LedgerFile.open(path);
}

/** Opens a log that must be there already; undefined when it is not. */
export async function openLogIfPresent(folder: string, name: string): Promise<LedgerFile | undefined> {
  try {
    return await LedgerFile.open(join(folder, name));
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  }
}

/** What root makes in an agent's folder belongs to the agent's user, or that user could not go on with it. */
export async function giveToFolderOwner(folder: string, made: FileHandle): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  if (uid !== 0) await made.chown(uid, gid);
}

/** Makes the names of new files durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export async function removeFile(folder: string, name: string): Promise<void> {
  await rm(join(folder, name), { force: true });
}

/**
 * Removes what is older than the snapshot before the newest. The one before stays: whoever copies the folder meanwhile, or finds
 * the newest damaged, still comes to the same beads from there.
 */
export async function removeOldGenerations(folder: string): Promise<void> {
  const { all, heads } = await listLedger(folder);
  const [newest = 0, ...others] = heads.map(generationOf);
  const keep = others.find((generation) => generation < newest) ?? 0;
  for (const name of all) if (generationOf(name) < keep) await rm(join(folder, name), { force: true });
}
