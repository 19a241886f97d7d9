import { NestError } from "@nest/kit";

/** The kinds of faults of an archive; `docs/archive-format.md` explains them. */
export type ArchiveFault =
  | "archive_wrong_key"
  | "archive_damaged"
  | "archive_hostile"
  | "archive_inconsistent"
  | "archive_unsupported"
  | "archive_too_large";

/** The key does not fit; known from the header, before any content is read. */
export function wrongKey(): NestError<"archive_wrong_key"> {
  return new NestError("archive_wrong_key", "the key does not fit this archive", {
    hint: "an archive opens only with the key that was set when it was made",
  });
}

/** The bytes differ from those written: incomplete, changed, reordered or continued. */
export function damaged(what: string): NestError<"archive_damaged"> {
  return new NestError("archive_damaged", `the archive is damaged: ${what}`);
}

/** The content was encrypted with the right key, but this tool never writes such content and it could do harm. */
export function hostile(what: string): NestError<"archive_hostile"> {
  return new NestError("archive_hostile", `the archive is refused: ${what}`);
}

/** Content and manifest differ. */
export function inconsistent(what: string): NestError<"archive_inconsistent"> {
  return new NestError("archive_inconsistent", `the archive is inconsistent: ${what}`);
}

/** A version, suite or codec that this release does not support. */
export function unsupported(what: string): NestError<"archive_unsupported"> {
  return new NestError("archive_unsupported", `this release cannot read the archive: ${what}`, {
    hint: "use a newer release of nest-backup",
  });
}

/** The archive, or a part of it, exceeds a limit of this release. */
export function tooLarge(what: string): NestError<"archive_too_large"> {
  return new NestError("archive_too_large", what);
}
