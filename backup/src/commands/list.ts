import { sentenceOf } from "@nest/kit";
import type { Blobs } from "../blobs/blobs.ts";
import type { Parts } from "../parts.ts";
import { hubIdOf, keyIfGiven, readSettings } from "../settings.ts";
import { storedArchives } from "../stored-archives.ts";

export interface ListFlags {
  readonly json?: boolean;
}

/** `list`: this hub's archives, the newest first; the first word of a line is the name. */
export async function list(parts: Parts, flags: ListFlags): Promise<0> {
  const blobs = await parts.openBlobs();
  const hubId = await hubIdOf(parts.environment, readSettings(parts.environment));
  const rows = [];
  const key = keyIfGiven(parts.environment);
  for (const { name, bytes, stampedAt, mark } of await storedArchives(blobs, { hubId, key }, parts.signal)) {
    const verifiedAt = mark?.verified_at;
    const lockedUntil = await lockOf(parts, blobs, name);
    const ageHours = Math.floor((parts.clock.now() - stampedAt) / 3_600_000);
    rows.push({ name, bytes, ageHours, lockedUntil, verifiedAt });
  }
  if (flags.json === true) {
    const archives = rows.map(({ name, bytes, ageHours, lockedUntil, verifiedAt }) => {
      return { name, bytes, age_hours: ageHours, locked_until: iso(lockedUntil), verified_at: iso(verifiedAt) };
    });
    parts.print(JSON.stringify({ archives }));
    return 0;
  }
  for (const row of rows) {
    const locked = row.lockedUntil === undefined ? "" : `  locked until ${iso(row.lockedUntil)}`;
    const verified = row.verifiedAt === undefined ? "  not verified" : `  verified ${iso(row.verifiedAt)}`;
    parts.print(`${row.name}  ${row.bytes} bytes  ${row.ageHours} h old${verified}${locked}`);
  }
  return 0;
}

/** An object that is gone by now, or that we may not look at, fails no list. */
async function lockOf(parts: Parts, blobs: Blobs, name: string): Promise<number | undefined> {
  try {
    return (await blobs.facts(name, parts.signal)).lockedUntil;
  } catch (thrown) {
    parts.signal.throwIfAborted();
    parts.log.warn({ name, because: sentenceOf(thrown) }, "nothing more is known of this object");
    return undefined;
  }
}

function iso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
