import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { type ArchiveKey, type Manifest, timeOfHubArchive } from "@nest/archive";
import { NestError } from "@nest/kit";
import { z } from "zod";
import { type BlobRow, type Blobs, listed } from "../storage/blobs.ts";
import { gapLines } from "./report.ts";

const START = ".verified.";
const INFO = "nest-backup verified mark v1";
/** A larger object is no mark, whatever the listing said. */
const MOST_BYTES = 4096;
/** A listing gives milliseconds, a request for one object whole seconds. */
const SAME_TIME_MS = 2000;
const AT_ONCE = 8;

/** The record of an archive that was read back whole and verified. */
const VerifiedMark = z.object({
  format: z.literal(1),
  archive: z.string(),
  sha256: z.string(),
  /** The size and time of the object when it was verified; an object that was overwritten since has others. */
  bytes: z.number(),
  modified_at: z.number(),
  verified_at: z.number(),
  files: z.number(),
  spokes: z.number(),
  /** Whether nothing is missing, or the operator accepted what is missing. */
  whole: z.boolean(),
  /** Whether it contains much less than the last whole archive before it. */
  much_less: z.boolean(),
});
export type VerifiedMark = z.infer<typeof VerifiedMark>;
const SealedMark = VerifiedMark.extend({ mac: z.string() });

/** The name of the small object that records that an archive was verified. */
export function markName(archive: string): string {
  return `${START}${archive}`;
}

/** The archive that a mark's name belongs to; undefined for any other name. */
export function archiveOfMark(name: string): string | undefined {
  return name.startsWith(START) ? name.slice(START.length) : undefined;
}

export interface FoundGood {
  readonly row: BlobRow;
  readonly sha256: string;
  readonly at: number;
  readonly manifest: Manifest;
  readonly lockedUntil?: number;
}

/**
 * Stores a mark beside an archive that was read back whole and verified. It needs no tags, overwrites no archive, and carries
 * a code made with the backup key, so that nobody else who can write to the bucket can forge it.
 */
export async function markVerified(
  blobs: Blobs,
  key: ArchiveKey,
  found: FoundGood,
  signal: AbortSignal,
): Promise<VerifiedMark> {
  const { row, manifest } = found;
  const mark: VerifiedMark = {
    format: 1,
    archive: row.name,
    sha256: found.sha256,
    bytes: row.bytes,
    modified_at: row.modifiedAt,
    verified_at: found.at,
    files: manifest.files.length,
    spokes: (manifest.spoke_ids ?? []).length,
    whole: manifest.whole ?? gapLines(manifest).length === 0,
    much_less: manifest.much_less !== undefined,
  };
  const name = markName(row.name);
  if ((await readMark(blobs, row, key, signal)) !== undefined) return mark;
  const put = () => {
    const text = JSON.stringify({ ...mark, mac: macOf(mark, key).toString("hex") });
    const lock = found.lockedUntil === undefined ? {} : { lockedUntil: found.lockedUntil };
    return blobs.put(name, only(text), { metadata: {}, signal, ...lock });
  };
  try {
    await put();
  } catch (thrown) {
    // The existing mark does not fit: it was made with another key, for another object of that name, or by somebody else.
    if (!(thrown instanceof NestError) || thrown.code !== "blob_exists") throw thrown;
    await blobs.remove(name, signal);
    await put();
  }
  return mark;
}

/**
 * The marks of this hub's archives, by archive. Without a key every mark is believed; with one, marks that were not made with
 * it are ignored.
 */
export async function readMarks(
  blobs: Blobs,
  archives: readonly BlobRow[],
  from: { readonly hubId: string; readonly key: ArchiveKey | undefined; readonly signal: AbortSignal },
): Promise<Map<string, VerifiedMark>> {
  const marks = new Map<string, VerifiedMark>();
  const named = new Set((await markRows(blobs, from.hubId, from.signal)).map(({ name }) => name));
  const left = archives.filter(({ name }) => named.has(markName(name)));
  const worker = async () => {
    for (let row = left.shift(); row !== undefined; row = left.shift()) {
      const mark = await readMark(blobs, row, from.key, from.signal);
      if (mark !== undefined) marks.set(row.name, mark);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return marks;
}

/** This hub's marks in the storage, including the marks of removed archives. */
export async function markRows(blobs: Blobs, hubId: string, signal: AbortSignal): Promise<BlobRow[]> {
  const rows = await listed(blobs, `${START}nest-hub-backup-`, signal);
  return rows.filter(({ name }) => timeOfHubArchive(archiveOfMark(name) ?? "", hubId) !== undefined);
}

async function readMark(
  blobs: Blobs,
  row: BlobRow,
  key: ArchiveKey | undefined,
  signal: AbortSignal,
): Promise<VerifiedMark | undefined> {
  const text = await smallText(blobs, markName(row.name), signal).catch(() => undefined);
  signal.throwIfAborted();
  const checked = SealedMark.safeParse(jsonIn(text));
  if (!checked.success) return undefined;
  const { mac, ...mark } = checked.data;
  if (mark.archive !== row.name || mark.bytes !== row.bytes) return undefined;
  if (Math.abs(mark.modified_at - row.modifiedAt) >= SAME_TIME_MS) return undefined;
  return key === undefined || isMac(mac, macOf(mark, key)) ? mark : undefined;
}

function macOf(mark: VerifiedMark, key: ArchiveKey): Buffer {
  const macKey = Buffer.from(hkdfSync("sha256", key.bytes(), Buffer.alloc(0), INFO, 32));
  // Parse with the schema first, because it puts the fields into a fixed order.
  return createHmac("sha256", macKey)
    .update(JSON.stringify(VerifiedMark.parse(mark)))
    .digest();
}

function isMac(text: string, expected: Buffer): boolean {
  const given = Buffer.from(text, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function smallText(blobs: Blobs, name: string, signal: AbortSignal): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of blobs.get(name, signal)) {
    bytes += piece.length;
    if (bytes > MOST_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function jsonIn(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

async function* only(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}
