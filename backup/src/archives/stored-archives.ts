import { type ArchiveContent, type ArchiveKey, type Manifest, nameSafe, timeOfHubArchive } from "@nest/archive";
import { NestError, sentenceOf } from "@nest/kit";
import type { BackupDeps } from "../deps/deps.ts";
import { type BlobRow, type Blobs, listed } from "../storage/blobs.ts";
import { checkArchive } from "./archive-source.ts";
import { hashed } from "./hashed.ts";
import { markVerified, readMarks, type VerifiedMark } from "./verified-mark.ts";

const CLOCK_SLACK_MS = 10 * 60 * 1000;
const LONGEST_RUN_MS = 24 * 60 * 60 * 1000;

/** An object with the name of one of this hub's archives. Only its {@link mark} shows that it really is one. */
export interface StoredArchive extends BlobRow {
  /** The time in its name. */
  readonly stampedAt: number;
  /** Present when it was read back and verified. */
  readonly mark: VerifiedMark | undefined;
}

export interface HubArchivesQuery {
  readonly hubId: string;
  /** Without it, every mark is believed. */
  readonly key: ArchiveKey | undefined;
}

/**
 * When an archive was made: the earlier of the times in its name and in the storage, so that a name cannot make it look
 * newer.
 */
export function madeAt({ stampedAt, modifiedAt }: Pick<StoredArchive, "stampedAt" | "modifiedAt">): number {
  return Math.min(stampedAt, modifiedAt);
}

/** The objects with this hub's names, newest first, with their marks. */
export async function storedArchives(
  blobs: Blobs,
  { hubId, key }: HubArchivesQuery,
  signal: AbortSignal,
): Promise<StoredArchive[]> {
  const rows = await hubArchives(blobs, hubId, signal);
  const marks = await readMarks(blobs, rows, { hubId, key, signal });
  return rows.map((row) => ({ ...row, mark: marks.get(row.name) }));
}

/** The objects with this hub's names, newest first. */
export async function hubArchives(
  blobs: Blobs,
  hubId: string,
  signal: AbortSignal,
): Promise<(BlobRow & { stampedAt: number })[]> {
  const rows = await listed(blobs, "nest-hub-backup-", signal);
  const ours = rows.flatMap((row) => {
    const stampedAt = timeOfHubArchive(row.name, hubId);
    return stampedAt === undefined ? [] : [{ ...row, stampedAt }];
  });
  return ours.sort((one, other) => madeAt(other) - madeAt(one) || (one.name < other.name ? 1 : -1));
}

/** The newest archive from which nothing is missing. */
export function lastWhole(archives: readonly StoredArchive[]): StoredArchive | undefined {
  return archives.find(({ mark }) => mark?.whole === true);
}

/** The result of a complete download. */
export interface VerifiedArchive {
  readonly content: ArchiveContent;
  /** False for a valid archive with the name of another one: it does not count as this hub's. */
  readonly isOwn: boolean;
  /** Why it does not count. */
  readonly misnamed?: string;
  /** Absent when the mark could not be stored. */
  readonly mark?: VerifiedMark;
}

/** Downloads an archive completely, verifies it and stores its mark. Throws when it is not valid. */
export async function verifyStored(
  deps: BackupDeps,
  blobs: Blobs,
  of: { readonly name: string; readonly hubId: string; readonly key: ArchiveKey; readonly onlyChunked?: boolean },
): Promise<VerifiedArchive> {
  const before = await blobs.facts(of.name, deps.signal);
  const sealed = hashed(blobs.get(of.name, deps.signal));
  const content = await checkArchive(deps, sealed.content, of.key, { onlyChunked: of.onlyChunked ?? false });
  const misnamed = misnamedFault(of, content.manifest);
  if (misnamed !== undefined) {
    deps.log.warn(misnamed);
    return { content, isOwn: false, misnamed };
  }
  try {
    const row = await unchanged(blobs, { ...before, bytes: sealed.bytes() }, deps.signal);
    const found = { row, sha256: sealed.sha256(), at: deps.clock.now(), manifest: content.manifest };
    return { content, isOwn: true, mark: await markVerified(blobs, of.key, found, deps.signal) };
  } catch (thrown) {
    deps.signal.throwIfAborted();
    deps.log.warn({ name: of.name, because: sentenceOf(thrown) }, "verified, but the mark could not be stored");
    return { content, isOwn: true };
  }
}

/** Reads an object's row again after its content was read. @throws NestError when the object was overwritten meanwhile. */
export async function unchanged(blobs: Blobs, read: BlobRow, signal: AbortSignal): Promise<BlobRow> {
  const now = await blobs.facts(read.name, signal);
  if (now.bytes === read.bytes && now.modifiedAt === read.modifiedAt) return now;
  throw new NestError("storage_failed", `${read.name} was written over while it was read`);
}

/**
 * Why a valid archive does not belong to its name, such as an old one copied to a newer name. It can be read but is not
 * counted.
 */
function misnamedFault(
  { name, hubId }: { readonly name: string; readonly hubId: string },
  { hub_id = hubId, created_at, kind = "hub" }: Manifest,
): string | undefined {
  const stampedAt = timeOfHubArchive(name, hubId);
  const isOwn =
    kind === "hub" &&
    nameSafe(hub_id) === nameSafe(hubId) &&
    stampedAt !== undefined &&
    isMadeAt(stampedAt, created_at);
  return isOwn
    ? undefined
    : `${name} is a good archive of ${hub_id} made ${created_at}, and stands under a name that is not its own`;
}

/** Whether an archive that says when it was made can have this time in its name. */
export function isMadeAt(stampedAt: number, createdAt: string): boolean {
  const createdMs = Date.parse(createdAt);
  return stampedAt >= createdMs - CLOCK_SLACK_MS && stampedAt - createdMs <= LONGEST_RUN_MS;
}
