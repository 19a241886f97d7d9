import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { isAbsent } from "@nest/kit";

/**
 * Leftovers of another machine, or of this one before its last start, are removed after this time: no work pauses that long.
 */
const GIVEN_UP_MS = 24 * 60 * 60 * 1000;

/** Identifies this start of this machine or container, in which process numbers are meaningful. */
const MACHINE = createHash("sha256").update(machineText()).digest("hex").slice(0, 8);

/**
 * A name for a temporary file or folder. It contains the machine and the process, so that a later run can tell whether they
 * still exist.
 */
export function unfinishedName(start: string, random: string, end = ""): string {
  return `${start}${MACHINE}-${process.pid}-${random}${end}`;
}

/**
 * Removes the temporary files of killed runs from a folder ({@link unfinishedName}), but nothing that a living process may
 * still use: on this machine when the process is gone, on another when untouched for a day. `now` is the time of the file
 * system's clock in milliseconds: the time of a file just made there.
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
  readonly machine: string;
  readonly pid: number;
}

function makerOf(name: string, start: string, end: string): Maker | undefined {
  if (!name.startsWith(start) || !name.endsWith(end)) return undefined;
  const mark = /^([0-9a-f]{8})-(\d{1,10})-[0-9a-z]+$/.exec(name.slice(start.length, name.length - end.length));
  return mark === null ? undefined : { machine: mark[1] ?? "", pid: Number(mark[2]) };
}

async function isAbandoned(path: string, maker: Maker, now: number): Promise<boolean> {
  if (maker.machine === MACHINE) return !isAlive(maker.pid);
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

function machineText(): string {
  const parts = [
    () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"),
    () => readlinkSync("/proc/self/ns/pid"),
  ];
  const told = parts.map((read) => {
    try {
      return read();
    } catch {
      // Not on Linux: the host's name must suffice.
      return "";
    }
  });
  return [hostname(), ...told].join("\n");
}
