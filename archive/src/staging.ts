import { closeSync, constants, mkdirSync, openSync, writeSync } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm, rmdir, stat, statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isAbsent, NestError } from "@nest/kit";
import { MANIFEST_NAME } from "./manifest.ts";
import type { MemberHead } from "./tar-header.ts";
import type { MemberVisitor } from "./tar-parser.ts";
import { removeAbandoned, unfinishedName } from "./unfinished.ts";

const PREFIX = ".nest-extract-";
/** An archive's content belongs to a hub or a nest and must not be readable by other users. */
const FOLDER_MODE = 0o700;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const SYNCS_AT_ONCE = 16;

/** A member's path under the destination, and its permissions; undefined leaves the member out. */
export interface Place {
  readonly path: string;
  readonly mode: number;
}

/** Chooses the place of each member. */
type PlaceOf = (head: MemberHead) => Place | undefined;

/**
 * The files of an archive before they are published: written to a private folder on the same file system, renamed to the
 * destination once the whole archive was verified, else removed.
 */
export class Staging implements MemberVisitor {
  readonly #folder: string;
  readonly #destination: string;
  readonly #isNew: boolean;
  readonly #place: PlaceOf;
  readonly #files: string[] = [];
  readonly #folders = new Set<string>();
  readonly #freeBytes: number;
  /** The topmost folder above the destination that this run made. */
  readonly #firstMade: string | undefined;
  #bytes = 0;
  #descriptor: number | undefined;

  private constructor(at: {
    readonly folder: string;
    readonly destination: string;
    readonly isNew: boolean;
    readonly place: PlaceOf;
    readonly freeBytes: number;
    readonly firstMade: string | undefined;
  }) {
    this.#folder = at.folder;
    this.#destination = at.destination;
    this.#isNew = at.isNew;
    this.#place = at.place;
    this.#freeBytes = at.freeBytes;
    this.#firstMade = at.firstMade;
  }

  /**
   * Makes the private folder: inside the destination, or beside it if the destination does not exist yet. Removes the
   * leftovers of killed runs.
   *
   * @throws NestError `destination_not_empty` unless `merge` allows existing files.
   */
  static async begin(options: {
    readonly destination: string;
    readonly random: string;
    readonly merge: boolean;
    readonly place: PlaceOf;
  }): Promise<Staging> {
    const destination = resolve(options.destination);
    const present = await entriesOf(destination);
    const home = present === undefined ? dirname(destination) : destination;
    const firstMade = await mkdir(home, { recursive: true });
    const folder = join(home, unfinishedName(PREFIX, options.random));
    await mkdir(folder, { mode: FOLDER_MODE });
    try {
      const left = await removeAbandoned(home, { start: PREFIX }, (await stat(folder)).mtimeMs);
      if (!options.merge && present?.some((name) => !left.includes(name)) === true) {
        throw notEmpty(destination, left.length > 0);
      }
      const { bavail, bsize } = await statfs(folder);
      const isNew = present === undefined;
      return new Staging({ folder, destination, isNew, place: options.place, freeBytes: bavail * bsize, firstMade });
    } catch (thrown) {
      await rm(folder, { recursive: true, force: true });
      await removeEmpty(home, firstMade);
      throw thrown;
    }
  }

  begin(head: MemberHead): void {
    const place = this.#place(head);
    if (place === undefined) return;
    this.#bytes += head.size;
    if (this.#bytes > this.#freeBytes) {
      throw new NestError("disk_full", `the archive holds more than the ${this.#freeBytes} bytes that are free there`, {
        hint: "make room, or choose another destination",
      });
    }
    this.#makeFolders(dirname(place.path));
    this.#descriptor = openSync(join(this.#folder, place.path), CREATE, place.mode);
    this.#files.push(place.path);
  }

  content(piece: Buffer): void {
    if (this.#descriptor === undefined) return;
    for (let at = 0; at < piece.length; ) at += writeSync(this.#descriptor, piece, at);
  }

  end(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** The staged files, relative to the destination. */
  get files(): readonly string[] {
    return this.#files;
  }

  /** The path of a staged file until it is published. */
  staged(path: string): string {
    return join(this.#folder, path);
  }

  /** Adds a file that was made at {@link staged} to the files to be published. */
  adopt(path: string): void {
    this.#files.push(path);
  }

  /** Removes a staged folder, which is then not published. */
  async drop(folder: string): Promise<void> {
    await rm(join(this.#folder, folder), { recursive: true, force: true });
    const isBelow = (path: string) => path === folder || path.startsWith(`${folder}/`);
    this.#files.splice(0, this.#files.length, ...this.#files.filter((path) => !isBelow(path)));
    for (const path of this.#folders) if (isBelow(path)) this.#folders.delete(path);
  }

  /**
   * Moves all files to the destination, `MANIFEST.json` last. @throws NestError `destination_unsafe` before anything was
   * moved, when a link or a file is where a folder must be.
   */
  async publish(): Promise<void> {
    await this.#sync();
    if (this.#isNew) await rename(this.#folder, this.#destination);
    else await this.#moveEach();
    await syncFolder(dirname(this.#destination));
  }

  /** Removes the private folder, and the folders above it that this run made and that are empty. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    await rm(this.#folder, { recursive: true, force: true });
    await removeEmpty(dirname(this.#folder), this.#firstMade);
  }

  #makeFolders(folder: string): void {
    if (folder === "." || this.#folders.has(folder)) return;
    this.#makeFolders(dirname(folder));
    mkdirSync(join(this.#folder, folder), { mode: FOLDER_MODE });
    this.#folders.add(folder);
  }

  async #sync(): Promise<void> {
    const left = [...this.#files];
    const worker = async () => {
      for (let path = left.pop(); path !== undefined; path = left.pop()) {
        const file = await open(join(this.#folder, path), "r");
        await file.sync().finally(() => file.close());
      }
    };
    await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, worker));
    for (const folder of this.#folders) await syncFolder(join(this.#folder, folder));
    await syncFolder(this.#folder);
  }

  /** A folder that does not exist yet is moved as a whole: with fewer steps, a kill leaves less half done. */
  async #moveEach(): Promise<void> {
    for (const folder of this.#folders) await refuseUnlessFolder(join(this.#destination, folder));
    const moved: string[] = [];
    const isMoved = (path: string) => moved.some((folder) => path.startsWith(`${folder}/`));
    for (const folder of this.#folders) {
      if (isMoved(folder) || (await entriesOf(join(this.#destination, folder))) !== undefined) continue;
      await rename(join(this.#folder, folder), join(this.#destination, folder));
      moved.push(folder);
    }
    const last = (path: string) => Number(path === MANIFEST_NAME);
    for (const path of [...this.#files].sort((one, other) => last(one) - last(other))) {
      if (!isMoved(path)) await rename(join(this.#folder, path), join(this.#destination, path));
    }
    for (const folder of this.#folders) await syncFolder(join(this.#destination, folder));
    await rm(this.#folder, { recursive: true });
    await syncFolder(this.#destination);
  }
}

function notEmpty(destination: string, wasBrokenOff: boolean): NestError<"destination_not_empty"> {
  if (wasBrokenOff) {
    return new NestError("destination_not_empty", `${destination} holds the files of an interrupted run`, {
      hint: "remove it and start again, or pass -force to write over it",
    });
  }
  return new NestError("destination_not_empty", `${destination} is not empty`, {
    hint: "name an empty or new folder, or pass -force to write into this one",
  });
}

/** Removes a folder and its parents up to `last`, as long as they are empty. */
async function removeEmpty(folder: string, last: string | undefined): Promise<void> {
  if (last === undefined) return;
  for (let empty = folder; empty.startsWith(last); empty = dirname(empty)) {
    const isRemoved = await rmdir(empty).then(
      () => true,
      () => false,
    );
    if (!isRemoved) return;
  }
}

async function entriesOf(folder: string): Promise<string[] | undefined> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  }
}

async function refuseUnlessFolder(path: string): Promise<void> {
  const stats = await lstat(path).catch((thrown: unknown) => {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  });
  if (stats === undefined || stats.isDirectory()) return;
  throw new NestError("destination_unsafe", `${path} is in the way: not a folder but a link or a file`, {
    hint: "extract into an empty folder",
  });
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}
