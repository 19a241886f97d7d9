import type { Blobs } from "../blobs/blobs.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Parts } from "../parts.ts";
import { hubIdOf, keyFrom, keyIfGiven, readSettings } from "../settings.ts";
import { hubArchives, madeAt, storedArchives, verifyStored } from "../stored-archives.ts";

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
  const verified = flags.verify === true ? await verifyNewest(parts, blobs, hubId) : undefined;
  const archives = await storedArchives(blobs, { hubId, key: keyIfGiven(parts.environment) }, parts.signal);
  const newest = archives.find(({ name, mark }) => mark !== undefined || name === verified);
  const most = flags["max-age-hours"] ?? DEFAULT_MOST_HOURS;
  const ageHours = newest === undefined ? undefined : Math.max(0, (parts.clock.now() - madeAt(newest)) / HOUR_MS);
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

/** The name of the newest archive, once it was found good; undefined when there is none, or it stands under another's name. */
async function verifyNewest(parts: Parts, blobs: Blobs, hubId: string): Promise<string | undefined> {
  const key = keyFrom(parts.environment);
  const [newest] = await hubArchives(blobs, hubId, parts.signal);
  if (newest === undefined) return undefined;
  const { isOwn } = await verifyStored(parts, blobs, { name: newest.name, hubId, key, onlyChunked: true });
  return isOwn ? newest.name : undefined;
}
