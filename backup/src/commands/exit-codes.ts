import { NestError, UsageError } from "@nest/kit";

/** The exit codes of `nest-backup` (docs/operations.md). */
export const EXIT = { ok: 0, failed: 1, usage: 2, gaps: 3, wrongKey: 4, damaged: 5 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BY_CODE: Readonly<Record<string, ExitCode>> = {
  archive_wrong_key: EXIT.wrongKey,
  archive_damaged: EXIT.damaged,
  archive_hostile: EXIT.damaged,
  archive_inconsistent: EXIT.damaged,
  backup_key_missing: EXIT.usage,
  backup_key_malformed: EXIT.usage,
  bucket_missing: EXIT.usage,
};

export function exitCodeFor(thrown: unknown): ExitCode {
  if (thrown instanceof UsageError) return EXIT.usage;
  return thrown instanceof NestError ? (BY_CODE[thrown.code] ?? EXIT.failed) : EXIT.failed;
}
