import { NestError } from "@nest/kit";
import { type DataManifest, type DataPlace, missingIn, readManifest, runBeside } from "./manifest.ts";

/** Files travel in portions of so many bytes: what comes faster than it goes lies in memory meanwhile. */
const PORTION_BYTES = 16 * 1024 * 1024;
/** A single file of a nest's own state is never so large. */
const MOST_FILE_BYTES = 512 * 1024 * 1024;

export interface Copy {
  readonly from: DataPlace;
  readonly to: DataPlace;
  readonly signal: AbortSignal;
  onProgress(text: string): Promise<void>;
}

/**
 * Copies a nest's data from one cluster to another. What is there already with the same content is not sent again, so that a
 * copy that was broken off goes on.
 *
 * @throws NestError `nest_copy_failed`.
 */
export async function copyData(copy: Copy): Promise<void> {
  const { from, to, signal } = copy;
  const wanted = await readManifest(from, signal);
  const there = await readManifest(to, signal);
  await removeOthers(
    copy,
    [...there.files.keys()].filter((path) => !wanted.files.has(path)),
  );
  await sendOthers(copy, wanted);
  const missing = missingIn(wanted, there);
  let sent = 0;
  for (const portion of portionsOf(missing, wanted)) {
    await send(copy, portion);
    sent += portion.length;
    await copy.onProgress(`${sent} of ${missing.length} files copied`);
  }
}

/**
 * Reads both sides again and compares all contents.
 *
 * @throws NestError `nest_copy_unproven` naming a file that did not arrive as it was.
 */
export async function proveArrival({ from, to, signal }: Pick<Copy, "from" | "to" | "signal">): Promise<number> {
  const wanted = await readManifest(from, signal);
  const there = await readManifest(to, signal);
  const missing = [...missingIn(wanted, there), ...missingIn(there, wanted)];
  const [first] = missing;
  if (first === undefined) return wanted.files.size;
  throw new NestError(
    "nest_copy_unproven",
    `${missing.length} files did not arrive as they were, ${JSON.stringify(first)} among them`,
    {
      hint: "the nest stays where it is; retry the migration",
    },
  );
}

/** What an earlier copy brought and the old nest has no more. */
async function removeOthers({ to, signal }: Copy, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const names = Buffer.from(paths.map((path) => `${path}\0`).join(""));
  await runBeside(to, { command: ["xargs", "-0", "-r", "rm", "-f", "--"], stdin: inPieces([names]), signal });
}

async function sendOthers(copy: Copy, { others }: DataManifest): Promise<void> {
  for (let at = 0; at < others.length; at += 5000) await send(copy, others.slice(at, at + 5000));
}

/** One portion, as a tar of exactly these paths, out of one pod and into the other. */
async function send({ from, to, signal }: Copy, paths: readonly string[]): Promise<void> {
  const pieces: Buffer[] = [];
  const names = Buffer.from(paths.map((path) => `.${path}\0`).join(""));
  const pack = ["tar", "-C", "/", "-c", "-f", "-", "--no-recursion", "--null", "--verbatim-files-from", "-T", "-"];
  await runBeside(from, { command: pack, stdin: inPieces([names]), signal, stdout: (piece) => pieces.push(piece) });
  const unpack = ["tar", "-C", "/", "-x", "-f", "-", "--no-same-owner"];
  await runBeside(to, { command: unpack, stdin: inPieces(pieces), signal });
}

function* portionsOf(paths: readonly string[], { files }: DataManifest): Generator<readonly string[]> {
  let [portion, bytes]: [string[], number] = [[], 0];
  for (const path of paths) {
    const size = files.get(path)?.size ?? 0;
    if (size > MOST_FILE_BYTES)
      throw new NestError("nest_copy_failed", `${JSON.stringify(path)} is too large to be copied (${size} bytes)`, {
        hint: "move it by hand, or remove it",
      });
    if (portion.length > 0 && (bytes + size > PORTION_BYTES || portion.length >= 5000)) {
      yield portion;
      [portion, bytes] = [[], 0];
    }
    portion.push(path);
    bytes += size;
  }
  if (portion.length > 0) yield portion;
}

async function* inPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
