import { link, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, makePrivateFolder, NestError, type Random, readTextIfPresent } from "@nest/kit";
import { takeName } from "./name-lock.ts";

export const SESSION_PATTERN = /^[A-Za-z0-9_-]{1,64}$/;
const LONGEST = 64;
/** The most relays that may run at once on one state folder; more is a mistake. */
const MOST_AT_ONCE = 64;

/** What a full or closed disk, or a folder of somebody else, is told by. */
const UNWRITABLE = new Set(["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EPERM", "ENOTDIR", "EEXIST"]);

/** The name under which this relay is known to hubs while it runs. */
export interface SessionName {
  readonly name: string;
  /** 1 for the first relay on this state folder, 2 for one that runs beside it, and so on, whatever their names. */
  readonly place: number;
  /** Releases the name and the place. */
  release(): void;
}

/**
 * Takes this relay's session name: the configured one, else the one kept in the state folder, which is made there once. Each
 * further relay that runs on the same folder under that name takes it with `-2`, `-3` … behind it: a hub would take a second
 * relay with the same name for the first one after a reconnect.
 *
 * @throws NestError `state_folder_unusable`, `too_many_relays`.
 */
export async function takeSessionName(
  stateFolder: string,
  configured: string | undefined,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<SessionName> {
  try {
    return await takeIn(stateFolder, configured, { clock, random });
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === undefined || !UNWRITABLE.has(code)) throw thrown;
    throw new NestError("state_folder_unusable", `nothing can be written to ${stateFolder} (${code})`, {
      hint: "free some room or give it to this user, or name another place in XDG_STATE_HOME",
      cause: thrown,
    });
  }
}

async function takeIn(
  stateFolder: string,
  configured: string | undefined,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<SessionName> {
  await makePrivateFolder(stateFolder);
  const base = configured ?? (await keptName(stateFolder, random));
  const named = await firstFree(sessionLocks(stateFolder), clock, (at) => {
    const suffix = at === 1 ? "" : `-${at}`;
    return `${base.slice(0, LONGEST - suffix.length)}${suffix}`;
  });
  const placed = await firstFree(join(stateFolder, "places"), clock, String);
  return {
    name: named.name,
    place: placed.at,
    release() {
      named.lock.release();
      placed.lock.release();
    },
  };
}

/** Takes the first of these names that no relay holds. */
async function firstFree(folder: string, clock: Clock, nameOf: (at: number) => string) {
  for (let at = 1; at <= MOST_AT_ONCE; at += 1) {
    const name = nameOf(at);
    const lock = await takeName(folder, name, clock);
    if (lock !== undefined) return { at, name, lock };
  }
  throw new NestError("too_many_relays", `${MOST_AT_ONCE} relays run on this state folder already`, {
    hint: "stop some, or give this one another state folder (XDG_STATE_HOME)",
  });
}

/** The kept name; undefined before the first relay ran here, or where the file holds no valid name. Changes nothing. */
export async function readKeptName(stateFolder: string): Promise<string | undefined> {
  const kept = (await readTextIfPresent(join(stateFolder, "session")))?.trim();
  return kept !== undefined && SESSION_PATTERN.test(kept) ? kept : undefined;
}

/** The folder in which running relays lock their names. */
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
    // When two relays start here for the first time at once, the link lets only one of them choose the name.
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
