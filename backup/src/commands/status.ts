import { checkArchive, hubArchives } from "../archive-source.ts";
import type { Blobs } from "../blobs/blobs.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Parts } from "../parts.ts";
import { hubIdOf, keyFrom, readSettings } from "../settings.ts";

export interface StatusFlags {
  readonly verify?: boolean;
  readonly "max-age-hours"?: number;
  readonly json?: boolean;
}

/** A daily run that took its time must not raise the alarm. */
const DEFAULT_MOST_HOURS = 26;
const HOUR_MS = 3_600_000;

/**
 * `status`, for alarms: how old the newest verified archive is. Exit 1 when it is too old or there is none. With `-verify` the
 * newest archive is verified now, which needs the key.
 */
export async function status(parts: Parts, flags: StatusFlags): Promise<ExitCode> {
  const blobs = await parts.openBlobs();
  const hubId = await hubIdOf(parts.environment, readSettings(parts.environment));
  const archives = await hubArchives(blobs, hubId, parts.signal);
  if (flags.verify === true && archives[0] !== undefined) {
    await checkArchive(parts, blobs.get(archives[0].name, parts.signal), keyFrom(parts.environment));
    await blobs.markVerified(archives[0].name, parts.clock.now(), parts.signal);
  }
  const isVerifiedNow = flags.verify === true ? archives[0] : undefined;
  const newest = isVerifiedNow ?? (await newestVerified(blobs, archives, parts.signal));
  const most = flags["max-age-hours"] ?? DEFAULT_MOST_HOURS;
  const ageHours =
    newest === undefined
      ? undefined
      : Math.max(0, (parts.clock.now() - Math.min(newest.stampedAt, newest.modifiedAt)) / HOUR_MS);
  const isFresh = ageHours !== undefined && ageHours <= most;
  if (flags.json === true) {
    const age = ageHours === undefined ? null : Math.round(ageHours * 10) / 10;
    parts.print(
      JSON.stringify({
        ok: isFresh,
        archive: newest?.name ?? null,
        age_hours: age,
        max_age_hours: most,
        archives: archives.length,
      }),
    );
  } else if (newest === undefined || ageHours === undefined) {
    parts.print(`no verified archive of hub ${hubId} (${archives.length} archives in the bucket)`);
  } else {
    parts.print(
      `${isFresh ? "ok" : "TOO OLD"}: ${newest.name} is ${ageHours.toFixed(1)} hours old and verified (limit ${most})`,
    );
  }
  return isFresh ? EXIT.ok : EXIT.failed;
}

async function newestVerified<Row extends { readonly name: string }>(
  blobs: Blobs,
  archives: readonly Row[],
  signal: AbortSignal,
): Promise<Row | undefined> {
  for (const archive of archives) {
    if ((await blobs.facts(archive.name, signal)).verifiedAt !== undefined) return archive;
  }
  return undefined;
}
