import { type ArchiveContent, type ArchiveKey, type Manifest, nameSafe, timeOfHubArchive } from "@nest/archive";
import { NestError, sentenceOf } from "@nest/kit";
import type { BackupDeps } from "../deps/deps.ts";
import { type BlobRow, type Blobs, listed } from "../storage/blobs.ts";
import { checkArchive } from "./archive-source.ts";
import { hashed } from "./hashed.ts";
import { markVerified, readMarks, type VerifiedMark } from "./verified-mark.ts";

const CLOCK_SLACK_MS = 10 * 60 * 1000;
const LONGEST_RUN_MS = 24 * 60 * 60 * 1000;

/** An object under the name of one of this hub's archives; whether it is one, only {@link mark} says. */
export interface StoredArchive extends BlobRow {
  /** What its name says. */
  readonly stampedAt: number;
  /** Present when it was read back and found good. */
  readonly mark: VerifiedMark | undefined;
}

export interface ShelfQuestion {
  readonly hubId: string;
  /** Without it marks are believed as they stand. */
  readonly key: ArchiveKey | undefined;
}

/** When an archive was made: the earlier of what its name and the storage say, so that a name cannot make it newer than it is. */
export function madeAt({ stampedAt, modifiedAt }: Pick<StoredArchive, "stampedAt" | "modifiedAt">): number {
  return Math.min(stampedAt, modifiedAt);
}

/** The objects under this hub's names, the newest first, with what is known of them. */
export async function storedArchives(
  blobs: Blobs,
  { hubId, key }: ShelfQuestion,
  signal: AbortSignal,
): Promise<StoredArchive[]> {
  const rows = await hubArchives(blobs, hubId, signal);
  const marks = await readMarks(blobs, rows, { hubId, key, signal });
  return rows.map((row) => ({ ...row, mark: marks.get(row.name) }));
}

/** The objects under this hub's names, the newest first. */
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

/** The newest archive with nothing missing. */
export function lastWhole(archives: readonly StoredArchive[]): StoredArchive | undefined {
  return archives.find(({ mark }) => mark?.whole === true);
}

/** What a download to the end found. */
export interface VerifiedArchive {
  readonly content: ArchiveContent;
  /** False for a good archive under a name that is not its own: it counts as none of this hub's. */
  readonly isOwn: boolean;
  /** Why it counts as none, in words. */
  readonly misnamed?: string;
  /** Absent where it could not be noted. */
  readonly mark?: VerifiedMark;
}

/** Downloads an archive to its end, finds it good and marks it; or throws. */
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
    deps.log.warn(
      { name: of.name, because: sentenceOf(thrown) },
      "found good, but the storage does not take a note of it",
    );
    return { content, isOwn: true };
  }
}

/** An object's row, once more after it was read. @throws NestError when another object was put under the name meanwhile. */
export async function unchanged(blobs: Blobs, read: BlobRow, signal: AbortSignal): Promise<BlobRow> {
  const now = await blobs.facts(read.name, signal);
  if (now.bytes === read.bytes && now.modifiedAt === read.modifiedAt) return now;
  throw new NestError("storage_failed", `${read.name} was written over while it was read`);
}

/** A good archive under a name that is not its own, such as an old one copied to a newer name, is good for reading and no more. */
function misnamedFault(
  { name, hubId }: { readonly name: string; readonly hubId: string },
  { hub_id = hubId, created_at, kind = "hub" }: Manifest,
): string | undefined {
  const stampedAt = timeOfHubArchive(name, hubId);
  const createdAt = Date.parse(created_at);
  const isOwn =
    kind === "hub" &&
    nameSafe(hub_id) === nameSafe(hubId) &&
    stampedAt !== undefined &&
    stampedAt >= createdAt - CLOCK_SLACK_MS &&
    stampedAt - createdAt <= LONGEST_RUN_MS;
  return isOwn
    ? undefined
    : `${name} is a good archive of ${hub_id} made ${created_at}, and stands under a name that is not its own`;
}
