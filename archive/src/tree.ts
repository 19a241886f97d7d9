import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileMember, type ReadBuffer } from "./file-member.ts";
import { type NameSet, nameFault } from "./member-names.ts";
import type { Member } from "./tar-writer.ts";

export interface TreeOptions {
  /** The folder on disk. */
  readonly root: string;
  /** Where it goes in the archive, without a slash at the end. */
  readonly prefix: string;
  /** Names taken so far, over the whole archive. */
  readonly names: NameSet;
  /** Heard for whatever is not stored, with its path in the archive. */
  skipped(path: string, reason: string): void;
  /** Leaves a file or a whole folder out without a word; `path` is relative to the root. */
  leaveOut?(path: string): boolean;
  readonly mode?: number;
  readonly mostFileBytes?: number;
  /** For who uses up each member before asking for the next. */
  readonly buffer?: ReadBuffer;
}

/** The regular files under a folder, in the order of their names. Links, pipes, sockets, unreadable files are told as skipped. */
export function* treeMembers(options: TreeOptions): Generator<Member> {
  yield* below("", options);
}

/** One file, held to the same rules as those of a tree. */
export function singleMember(source: string, path: string, options: Omit<TreeOptions, "root" | "prefix">): Member[] {
  const fault = nameFault(path) ?? options.names.add(path);
  if (fault !== undefined) {
    options.skipped(path, fault);
    return [];
  }
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

function* below(folder: string, options: TreeOptions): Generator<Member> {
  for (const entry of entriesOf(folder, options)) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (options.leaveOut?.(path) === true) continue;
    if (entry.isDirectory()) yield* below(path, options);
    else if (entry.isFile()) yield* singleMember(join(options.root, path), `${options.prefix}/${path}`, options);
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
