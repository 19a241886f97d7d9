import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isAbsent } from "@nest/kit";

/** What another machine, or this one before its last start, left is given up after this: no work of ours pauses so long. */
const GIVEN_UP_MS = 24 * 60 * 60 * 1000;

/** Where process numbers mean what they mean here: this start of this machine, this container. */
const PLACE = createHash("sha256").update(placeText()).digest("hex").slice(0, 8);

/** A name for something that is there only while this process works on it. It says whose it is, so that a later run can tell. */
export function unfinishedName(start: string, random: string, end = ""): string {
  return `${start}${PLACE}-${process.pid}-${random}${end}`;
}

/**
 * Removes what killed runs left in a folder under names of {@link unfinishedName}, and nothing that a living process may still
 * work on: of this place when its process is no more, of another when it was not touched for a day. `now` is by the clock of the
 * file system, in milliseconds: the time of something just made there.
 *
 * @returns the names that were removed.
 */
export async function removeAbandoned(
  folder: string,
  names: { readonly start: string; readonly end?: string },
  now: number,
): Promise<string[]> {
  const removed: string[] = [];
  for (const name of await namesIn(folder)) {
    const maker = makerOf(name, names.start, names.end ?? "");
    if (maker === undefined || !(await isAbandoned(join(folder, name), maker, now))) continue;
    await rm(join(folder, name), { recursive: true, force: true });
    removed.push(name);
  }
  return removed;
}

interface Maker {
  readonly place: string;
  readonly pid: number;
}

function makerOf(name: string, start: string, end: string): Maker | undefined {
  if (!name.startsWith(start) || !name.endsWith(end)) return undefined;
  const mark = /^([0-9a-f]{8})-(\d{1,10})-[0-9a-z]+$/.exec(name.slice(start.length, name.length - end.length));
  return mark === null ? undefined : { place: mark[1] ?? "", pid: Number(mark[2]) };
}

async function isAbandoned(path: string, maker: Maker, now: number): Promise<boolean> {
  if (maker.place === PLACE) return !isAlive(maker.pid);
  const stats = await lstat(path).catch(() => undefined);
  return stats !== undefined && stats.mtimeMs < now - GIVEN_UP_MS;
}

function isAlive(pid: number): boolean {
  try {
    return pid === process.pid || process.kill(pid, 0);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (thrown) {
    if (isAbsent(thrown)) return [];
    throw thrown;
  }
}

function placeText(): string {
  const parts = [
    () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"),
    () => readlinkSync("/proc/self/ns/pid"),
  ];
  const told = parts.map((read) => {
    try {
      return read();
    } catch {
      // Not Linux: the host's name has to do.
      return "";
    }
  });
  return [hostname(), ...told].join("\n");
}
