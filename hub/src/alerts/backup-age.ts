import { readTextIfPresent } from "@nest/kit";

/** When a backup last succeeded (ms), by the file that `nest-backup` leaves its metrics in; undefined where that is not known. */
export async function lastBackup(file: string | undefined): Promise<number | undefined> {
  if (file === undefined) return undefined;
  const text = await readTextIfPresent(file).catch(() => undefined);
  // A file that is gone or empty says that there is no backup: as old as can be.
  if (text === undefined) return 0;
  const [, seconds = "0"] = /^nest_backup_last_success_timestamp_seconds (\d+(?:\.\d+)?)$/m.exec(text) ?? [];
  return Number(seconds) * 1000;
}
