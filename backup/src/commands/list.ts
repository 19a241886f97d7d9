import { sentenceOf } from "@nest/kit";
import { storedArchives } from "../archives/stored-archives.ts";
import type { BackupDeps } from "../deps/deps.ts";
import { hubIdOf, keyIfGiven, readSettings } from "../settings/settings.ts";
import type { Blobs } from "../storage/blobs.ts";

export interface ListFlags {
  readonly json?: boolean;
}

/** `list`: this hub's archives, newest first; each line begins with the name. */
export async function list(deps: BackupDeps, flags: ListFlags): Promise<0> {
  const blobs = await deps.openBlobs();
  const hubId = await hubIdOf(deps.environment, readSettings(deps.environment));
  const rows = [];
  const key = keyIfGiven(deps.environment);
  for (const { name, bytes, stampedAt, mark } of await storedArchives(blobs, { hubId, key }, deps.signal)) {
    const verifiedAt = mark?.verified_at;
    const lockedUntil = await lockOf(deps, blobs, name);
    const ageHours = Math.floor((deps.clock.now() - stampedAt) / 3_600_000);
    rows.push({ name, bytes, ageHours, lockedUntil, verifiedAt });
  }
  if (flags.json === true) {
    const archives = rows.map(({ name, bytes, ageHours, lockedUntil, verifiedAt }) => {
      return { name, bytes, age_hours: ageHours, locked_until: iso(lockedUntil), verified_at: iso(verifiedAt) };
    });
    deps.print(JSON.stringify({ archives }));
    return 0;
  }
  for (const row of rows) {
    const locked = row.lockedUntil === undefined ? "" : `  locked until ${iso(row.lockedUntil)}`;
    const verified = row.verifiedAt === undefined ? "  not verified" : `  verified ${iso(row.verifiedAt)}`;
    deps.print(`${row.name}  ${row.bytes} bytes  ${row.ageHours} h old${verified}${locked}`);
  }
  return 0;
}

/** When the object's lock ends. An object that is gone, or that we may not read, does not fail the list. */
async function lockOf(deps: BackupDeps, blobs: Blobs, name: string): Promise<number | undefined> {
  try {
    return (await blobs.facts(name, deps.signal)).lockedUntil;
  } catch (thrown) {
    deps.signal.throwIfAborted();
    deps.log.warn({ name, because: sentenceOf(thrown) }, "could not read this object's details");
    return undefined;
  }
}

function iso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
