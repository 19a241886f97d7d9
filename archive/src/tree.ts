import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileMember, type ReadBuffer } from "./file-member.ts";
import { type NameSet, nameFault } from "./member-names.ts";
import type { Member } from "./tar-writer.ts";

export interface TreeOptions {
  /** The folder on disk. */
  readonly root: string;
  /** The path in the archive, without a trailing slash. */
  readonly prefix: string;
  /** The names so far, in the whole archive. */
  readonly names: NameSet;
  /** Called for each file that is not stored, with its path in the archive. */
  skipped(path: string, reason: string): void;
  /** Silently leaves out a file or a whole folder; `path` is relative to the root. */
  leaveOut?(path: string): boolean;
  readonly mode?: number;
  readonly mostFileBytes?: number;
  /** A buffer to reuse, if each member is used up before the next is requested. */
  readonly buffer?: ReadBuffer;
}

/** A file to be stored, not opened yet. */
export interface FileToStore {
  readonly source: string;
  /** The path in the archive. */
  readonly path: string;
}

/**
 * The regular files under a folder, in the order of their names. Links, pipes, sockets and unreadable files are reported as
 * skipped.
 */
export function* treeMembers(options: TreeOptions): Generator<Member> {
  for (const file of treeFiles(options)) yield* openedMember(file, options);
}

/** The same files, without opening them. */
export function* treeFiles(options: TreeOptions): Generator<FileToStore> {
  yield* below("", options);
}

/** One file, with the same rules as for a tree. */
export function singleMember(source: string, path: string, options: Omit<TreeOptions, "root" | "prefix">): Member[] {
  return namedFile({ source, path }, options).flatMap((file) => openedMember(file, options));
}

/** One file by name, not opened; none when the name is refused or taken. */
export function namedFile(file: FileToStore, options: Pick<TreeOptions, "names" | "skipped">): FileToStore[] {
  const fault = nameFault(file.path) ?? options.names.add(file.path);
  if (fault === undefined) return [file];
  options.skipped(file.path, fault);
  return [];
}

/** Opens a file; undefined, and reported as skipped, when it cannot be stored. */
export function openedMember(
  { source, path }: FileToStore,
  options: Pick<TreeOptions, "skipped" | "mode" | "mostFileBytes" | "buffer">,
): Member[] {
  const opened = fileMember({
    source,
    path,
    changed: (reason) => options.skipped(path, reason),
    ...(options.mode === undefined ? {} : { mode: options.mode }),
    ...(options.buffer === undefined ? {} : { buffer: options.buffer }),
    ...(options.mostFileBytes === undefined ? {} : { mostBytes: options.mostFileBytes }),
  });
  if ("member" in opened) return [opened.member];
  options.skipped(path, opened.refused);
  return [];
}

function* below(folder: string, options: TreeOptions): Generator<FileToStore> {
  for (const entry of entriesOf(folder, options)) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (options.leaveOut?.(path) === true) continue;
    if (entry.isDirectory()) yield* below(path, options);
    else if (entry.isFile())
      yield* namedFile({ source: join(options.root, path), path: `${options.prefix}/${path}` }, options);
    else options.skipped(`${options.prefix}/${path}`, kindOf(entry));
  }
}

function entriesOf(folder: string, options: TreeOptions): Dirent[] {
  try {
    const entries = readdirSync(join(options.root, folder), { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code ?? "unknown error";
    options.skipped(folder === "" ? options.prefix : `${options.prefix}/${folder}`, `folder not readable (${code})`);
    return [];
  }
}

function kindOf(entry: Dirent): string {
  if (entry.isSymbolicLink()) return "a symbolic link";
  if (entry.isFIFO()) return "a pipe";
  if (entry.isSocket()) return "a socket";
  return "no regular file";
}
