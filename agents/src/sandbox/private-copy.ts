import { constants } from "node:fs";
import { chown, mkdir, open, realpath, stat, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, relative, sep } from "node:path";
import { writeFileAtomic } from "@nest/kit";
import type { OwnFile, OwnFolder } from "../cli/backend.ts";
import { removeBelow } from "../workspace/remove-folder.ts";
import { renewedText } from "./renewal.ts";

/** A larger file is not copied: what a CLI keeps about its person grows with the years, a login does not. */
const MOST_OWN_BYTES = 64 * 1024 * 1024;
const MOST_LOGIN_BYTES = 256 * 1024;

interface Copy {
  /** The person's own file. */
  readonly own: string;
  readonly copy: string;
  /** The real path of the copy's folder before the run began. */
  readonly place: string;
  readonly given: string;
  readonly file: OwnFile;
}

/** One run's private copies of its CLI's own folders, and the way back for a renewed login. */
export interface PrivateCopies {
  /** Folders that are not in the home, with the copy to show in their place. */
  readonly binds: readonly (readonly [copy: string, shownAt: string])[];
  /**
   * Copies a login that the CLI renewed back to the person's own file. Call it when no process of the run is left. Never
   * throws.
   */
  giveBack(): Promise<void>;
  /** Removes the copies, unless the run moved their folder elsewhere. Never throws. */
  remove(): Promise<void>;
}

export interface CopyDeps {
  /** The person's home, and the private folder that stands in for it. */
  readonly home: string;
  readonly privateHome: string;
  /** Holds the copies of folders outside of the home; made when needed. */
  readonly besides: string;
}

/**
 * Makes a run's private copies of a CLI's own folders: only the files named, and of them only what is needed to sign in and to
 * reach the model. The person's settings, hooks, instructions, skills, servers and transcripts are neither read nor written.
 */
export async function copyOwnFolders(folders: readonly OwnFolder[], deps: CopyDeps): Promise<PrivateCopies> {
  const copies: Copy[] = [];
  const binds: (readonly [string, string])[] = [];
  for (const [at, folder] of folders.entries()) {
    const own = ownPath(folder.path, deps.home);
    if (own === undefined) continue;
    const inHome = own === deps.home || own.startsWith(deps.home.replace(/\/$/, "") + sep);
    const place = inHome ? join(deps.privateHome, relative(deps.home, own)) : join(deps.besides, String(at));
    if (!inHome) binds.push([place, own]);
    await mkdir(place, { recursive: true, mode: 0o700 });
    for (const file of folder.files) {
      const copied = await copyFile(file, join(own, file.name), join(place, file.name));
      if (copied !== undefined) copies.push(copied);
    }
  }
  const remove = async () => {
    for (const { copy } of copies)
      await removeBelow(copy.startsWith(deps.privateHome + sep) ? deps.privateHome : deps.besides, copy);
  };
  return { binds, giveBack: () => giveBack(copies), remove };
}

/** The absolute path of a CLI's own folder; undefined for one whose copy would cover the whole home or the root. */
function ownPath(path: string, home: string): string | undefined {
  const full = path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
  if (!isAbsolute(full)) return undefined;
  const clean = normalize(full).replace(/(?<=.)\/+$/, "");
  return clean !== home && (clean === "/" || home.startsWith(clean + sep)) ? undefined : clean;
}

/** One of a person's own files below the home, as far as a run is given it. */
export interface GivenFile {
  /** From the home on: `.claude/.credentials.json`. */
  readonly path: string;
  readonly text: string;
}

/**
 * What a CLI's own folders below the home hold of what it needs to sign in and to reach its model: the same parts that a
 * sandboxed run is given. Folders elsewhere are left out.
 */
export async function ownFilesGiven(folders: readonly OwnFolder[], home: string): Promise<readonly GivenFile[]> {
  const found: GivenFile[] = [];
  for (const folder of folders) {
    const own = ownPath(folder.path, home);
    if (own === undefined || !(own === home || own.startsWith(home.replace(/\/$/, "") + sep))) continue;
    for (const file of folder.files) {
      const text = await givenOf(file, join(own, file.name));
      if (text !== undefined) found.push({ path: join(relative(home, own), file.name), text });
    }
  }
  return found;
}

async function givenOf(file: OwnFile, own: string): Promise<string | undefined> {
  // The person's file may be a link to another place.
  const text = await readPlain(await realpath(own).catch(() => own), MOST_OWN_BYTES);
  return text === undefined ? undefined : (file.given ?? String)(text);
}

async function copyFile(file: OwnFile, own: string, copy: string): Promise<Copy | undefined> {
  const given = await givenOf(file, own);
  if (given === undefined) return undefined;
  await writeFile(copy, given, { mode: 0o600, flag: "wx" });
  return { own, copy, place: await realpath(dirname(copy)), given, file };
}

async function giveBack(copies: readonly Copy[]): Promise<void> {
  // The next copies go on: a login that cannot be copied back stays as it was.
  for (const one of copies) await takeOver(one).catch(() => undefined);
}

async function takeOver({ own, copy, place, given, file }: Copy): Promise<void> {
  if (file.renewed === undefined) return;
  // The run could write beside and above its copy: do not follow a link that it put there.
  if ((await realpath(dirname(copy))) !== place) return;
  const left = await readPlain(copy, MOST_LOGIN_BYTES);
  const mine = await realpath(own);
  const now = await readPlain(mine, MOST_LOGIN_BYTES);
  if (left === undefined || now === undefined) return;
  const text = renewedText({ own: now, given, left, renewed: file.renewed });
  if (text === undefined) return;
  const { uid, gid } = await stat(mine);
  await writeFileAtomic(mine, text, { mode: 0o600 });
  if (process.getuid?.() === 0) await chown(mine, uid, gid);
}

/** The text of a regular file of at most that size; undefined for anything else, also for a link. */
async function readPlain(path: string, mostBytes: number): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (file === undefined) return undefined;
  try {
    const found = await file.stat();
    if (!found.isFile() || found.nlink > 1 || found.size > mostBytes) return undefined;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(found.size), 0, found.size, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
