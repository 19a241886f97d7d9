const MOST_NAME_BYTES = 4096;
const MOST_PART_BYTES = 255;
const MOST_DEPTH = 64;

/**
 * Why a member's name is refused; undefined when it is clean: relative, no empty, `.` or `..` parts, no backslashes, drive
 * letters or control characters, and not too long. The writer skips the names that a reader would refuse.
 */
export function nameFault(name: string): string | undefined {
  if (name === "") return "empty name";
  if (/[\u0000-\u001f\u007f]/.test(name)) return "control character in the name";
  if (name.includes("\\")) return "backslash in the name";
  if (name.startsWith("/")) return "absolute name";
  if (/^[A-Za-z]:/.test(name)) return "drive letter in the name";
  if (Buffer.byteLength(name) > MOST_NAME_BYTES) return "name longer than 4096 bytes";
  const parts = name.split("/");
  if (parts.length > MOST_DEPTH) return "more than 64 folders deep";
  for (const part of parts) {
    if (part === "" || part === ".") return "name is not clean";
    if (part === "..") return "name leads out of the folder";
    if (Buffer.byteLength(part) > MOST_PART_BYTES) return "part of the name longer than 255 bytes";
  }
  return undefined;
}

/** Maximum memory for the names of an archive: enough for about five million files. */
const MOST_BYTES = 768 * 1024 * 1024;
/** Memory of one entry of the set, besides its characters. */
const ENTRY_BYTES = 64;

/** The names so far, compared like on the most tolerant file systems: ignoring case, in one Unicode form. */
export class NameSet {
  readonly #seen = new Map<string, "file" | "folder">();
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** Adds a name; returns why it clashes with an earlier one, or undefined. */
  add(name: string): string | undefined {
    const folded = name.normalize("NFC").toLowerCase();
    const before = this.#seen.get(folded);
    if (before === "file") return "name occurs twice";
    if (before === "folder") return "name is a file and a folder";
    const folders: string[] = [];
    for (let slash = folded.lastIndexOf("/"); slash > 0; slash = folded.lastIndexOf("/", slash - 1)) {
      const folder = folded.slice(0, slash);
      const known = this.#seen.get(folder);
      if (known === "file") return "name is a file and a folder";
      if (known === "folder") break;
      folders.push(folder);
    }
    for (const entry of [...folders, folded]) this.#bytes += entry.length + ENTRY_BYTES;
    if (this.#bytes > this.#mostBytes) return "more names than an archive may hold";
    for (const folder of folders) this.#seen.set(folder, "folder");
    this.#seen.set(folded, "file");
    return undefined;
  }
}
