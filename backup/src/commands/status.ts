import { hubArchives, madeAt, storedArchives, verifyStored } from "../archives/stored-archives.ts";
import type { BackupDeps } from "../deps/deps.ts";
import { hubIdOf, keyFrom, keyIfGiven, readSettings } from "../settings/settings.ts";
import type { Blobs } from "../storage/blobs.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";

export interface StatusFlags {
  readonly verify?: boolean;
  readonly "max-age-hours"?: number;
  readonly json?: boolean;
}

/** More than a day, so that a daily run that takes long raises no alarm. */
const DEFAULT_MOST_HOURS = 26;
const HOUR_MS = 3_600_000;

/**
 * `status`, for alarms: the age of the newest verified archive. Exit 1 when it is too old or there is none. `-verify`
 * verifies the newest archive now, which needs the key.
 */
export async function status(deps: BackupDeps, flags: StatusFlags): Promise<ExitCode> {
  const blobs = await deps.openBlobs();
  const hubId = await hubIdOf(deps.environment, readSettings(deps.environment));
  const verified = flags.verify === true ? await verifyNewest(deps, blobs, hubId) : undefined;
  const archives = await storedArchives(blobs, { hubId, key: keyIfGiven(deps.environment) }, deps.signal);
  const newest = archives.find(({ name, mark }) => mark !== undefined || name === verified);
  const most = flags["max-age-hours"] ?? DEFAULT_MOST_HOURS;
  const ageHours = newest === undefined ? undefined : Math.max(0, (deps.clock.now() - madeAt(newest)) / HOUR_MS);
  const isFresh = ageHours !== undefined && ageHours <= most;
  if (flags.json === true) {
    const age = ageHours === undefined ? null : Math.round(ageHours * 10) / 10;
    deps.print(
      JSON.stringify({
        ok: isFresh,
        archive: newest?.name ?? null,
        age_hours: age,
        max_age_hours: most,
        archives: archives.length,
      }),
    );
  } else if (newest === undefined || ageHours === undefined) {
    deps.print(`no verified archive of hub ${hubId} (${archives.length} archives in the bucket)`);
  } else {
    deps.print(
      `${isFresh ? "ok" : "TOO OLD"}: ${newest.name} is ${ageHours.toFixed(1)} hours old and verified (limit ${most})`,
    );
  }
  return isFresh ? EXIT.ok : EXIT.failed;
}

/** Verifies the newest archive and returns its name; undefined when there is none, or when it has another archive's name. */
async function verifyNewest(deps: BackupDeps, blobs: Blobs, hubId: string): Promise<string | undefined> {
  const key = keyFrom(deps.environment);
  const [newest] = await hubArchives(blobs, hubId, deps.signal);
  if (newest === undefined) return undefined;
  const { isOwn } = await verifyStored(deps, blobs, { name: newest.name, hubId, key, onlyChunked: true });
  return isOwn ? newest.name : undefined;
}
