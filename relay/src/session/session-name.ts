import { link, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, makePrivateFolder, type Random, readTextIfPresent } from "@nest/kit";
import { type NameLock, takeName } from "./name-lock.ts";

/** What a session name may be made of (contract §2). */
export const SESSION_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;
const LONGEST = 64;
/** Relays at once on one state folder; beyond it something is wrong. */
const MOST_AT_ONCE = 64;

/** The name under which this relay is known to hubs while it runs. */
export interface SessionName {
  readonly name: string;
  /** 1 for the first relay on this state folder, 2 for one that runs beside it, and so on. */
  readonly place: number;
  readonly lock: NameLock;
}

/**
 * Takes this relay's session name: the one configured, else the one kept in the state folder, made there once. Each further relay
 * that runs at the same time on the same folder takes the same name with `-2`, `-3` … behind it: two that sent one name would be
 * taken for one whose connection is gone.
 */
export async function takeSessionName(
  stateFolder: string,
  configured: string | undefined,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<SessionName> {
  await makePrivateFolder(stateFolder);
  const base = configured ?? (await keptName(stateFolder, random));
  for (let place = 1; place <= MOST_AT_ONCE; place += 1) {
    const suffix = place === 1 ? "" : `-${place}`;
    const name = `${base.slice(0, LONGEST - suffix.length)}${suffix}`;
    const lock = await takeName(sessionLocks(stateFolder), name, clock);
    if (lock !== undefined) return { name, place, lock };
  }
  throw new Error(`${MOST_AT_ONCE} relays already run on ${stateFolder}`);
}

/** The name that is kept; undefined before the first relay ran here, or when what is kept is no name. Changes nothing. */
export async function readKeptName(stateFolder: string): Promise<string | undefined> {
  const kept = (await readTextIfPresent(join(stateFolder, "session")))?.trim();
  return kept !== undefined && SESSION_PATTERN.test(kept) ? kept : undefined;
}

/** Where relays say which names they use. */
export function sessionLocks(stateFolder: string): string {
  return join(stateFolder, "sessions");
}

async function keptName(stateFolder: string, random: Random): Promise<string> {
  const kept = await readKeptName(stateFolder);
  if (kept !== undefined) return kept;
  const made = `relay-${random.hex(4)}`;
  const path = join(stateFolder, "session");
  const beside = `${path}.${random.hex(6)}.part`;
  await writeFile(beside, `${made}\n`, { mode: 0o600, flag: "wx" });
  try {
    // Of two first starts at once, one names the folder.
    await link(beside, path);
    return made;
  } catch {
    const other = await readKeptName(stateFolder);
    if (other !== undefined) return other;
    await rm(path, { force: true });
    await link(beside, path).catch(() => undefined);
    return (await readKeptName(stateFolder)) ?? made;
  } finally {
    await rm(beside, { force: true });
  }
}
