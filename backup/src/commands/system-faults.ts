import { NestError } from "@nest/kit";

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  EACCES: "may not be used by this user",
  EPERM: "may not be used by this user",
  EROFS: "is on a file system that is read-only",
  ENOTDIR: "is no folder",
  EISDIR: "is a folder",
  EIO: "could not be read or written (input/output error)",
};

/** Converts an error of the operating system to a NestError for people; any other error is returned unchanged. */
export function systemFault(thrown: unknown): unknown {
  const { code = "", syscall, path } = (thrown ?? {}) as NodeJS.ErrnoException;
  if (thrown instanceof NestError || syscall === undefined) return thrown;
  if (FULL.has(code)) {
    const hint = "make room and start again; nothing half-made was left under its name";
    return new NestError("disk_full", "the disk is full", { hint, cause: thrown });
  }
  const word = WORDS[code];
  if (word === undefined) return thrown;
  return new NestError("file_unusable", `${path ?? "a file"} ${word} (${syscall})`, { cause: thrown });
}
