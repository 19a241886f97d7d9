import { hubArchives } from "../archive-source.ts";
import type { Parts } from "../parts.ts";
import { hubIdOf, readSettings } from "../settings.ts";

export interface ListFlags {
  readonly json?: boolean;
}

/** `list`: this hub's archives, the newest first; the first word of a line is the name. */
export async function list(parts: Parts, flags: ListFlags): Promise<0> {
  const blobs = await parts.openBlobs();
  const hubId = await hubIdOf(parts.environment, readSettings(parts.environment));
  const rows = [];
  for (const { name, bytes, stampedAt } of await hubArchives(blobs, hubId, parts.signal)) {
    const { lockedUntil, verifiedAt } = await blobs.facts(name, parts.signal);
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

function iso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
