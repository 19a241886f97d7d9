import { sentenceOf } from "@nest/kit";
import { ancestorArchives } from "../archives/ancestor-archives.ts";
import { madeAt, storedArchives } from "../archives/stored-archives.ts";
import type { BackupDeps } from "../deps/deps.ts";
import { hubIdOf, keyIfGiven, readSettings } from "../settings/settings.ts";
import type { Blobs } from "../storage/blobs.ts";

export interface ListFlags {
  readonly json?: boolean;
}

interface Row {
  readonly name: string;
  readonly bytes: number;
  readonly stampedAt: number;
  readonly isAncestors: boolean;
  readonly verifiedAt: number | undefined;
  readonly lockedUntil: number | undefined;
}

/** `list`: this hub's archives and those of the ancestor, newest first; each line begins with the name. */
export async function list(deps: BackupDeps, flags: ListFlags): Promise<0> {
  const rows = await rowsOf(deps, await deps.openBlobs());
  const ageHoursOf = (row: Row) => Math.floor((deps.clock.now() - row.stampedAt) / 3_600_000);
  if (flags.json === true) {
    const archives = rows.map((row) => {
      const { name, bytes, lockedUntil, verifiedAt, isAncestors } = row;
      const of = isAncestors ? { of_ancestor: true } : {};
      const times = { age_hours: ageHoursOf(row), locked_until: iso(lockedUntil), verified_at: iso(verifiedAt) };
      return { name, bytes, ...times, ...of };
    });
    deps.print(JSON.stringify({ archives }));
    return 0;
  }
  for (const row of rows) {
    const locked = row.lockedUntil === undefined ? "" : `  locked until ${iso(row.lockedUntil)}`;
    const verified = row.verifiedAt === undefined ? "  not verified" : `  verified ${iso(row.verifiedAt)}`;
    const state = row.isAncestors ? "  of the ancestor, never pruned" : verified;
    deps.print(`${row.name}  ${row.bytes} bytes  ${ageHoursOf(row)} h old${state}${locked}`);
  }
  return 0;
}

async function rowsOf(deps: BackupDeps, blobs: Blobs): Promise<Row[]> {
  const hubId = await hubIdOf(deps.environment, readSettings(deps.environment));
  const key = keyIfGiven(deps.environment);
  const ours = (await storedArchives(blobs, { hubId, key }, deps.signal)).map((one) => {
    return { ...one, isAncestors: false, verifiedAt: one.mark?.verified_at };
  });
  const ancestors = (await ancestorArchives(blobs, deps.signal)).map((one) => {
    return { ...one, isAncestors: true, verifiedAt: undefined };
  });
  const all = [...ours, ...ancestors].sort((one, other) => madeAt(other) - madeAt(one));
  const rows: Row[] = [];
  for (const row of all) rows.push({ ...row, lockedUntil: await lockOf(deps, blobs, row.name) });
  return rows;
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
