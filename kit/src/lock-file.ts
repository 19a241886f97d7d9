import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { link, rename, rm, writeFile } from "node:fs/promises";
import { isAbsent, readTextIfPresent } from "./files.ts";

// A file that says who holds something. It is there with its whole content, or not at all; who may take it away is the caller's rule.

/**
 * Creates a lock file with its whole content, 0600; false when there is one already.
 *
 * @throws the system's error; ENOENT where the folder is not there.
 */
export async function placeLockFile(path: string, content: string): Promise<boolean> {
  const beside = besideOf(path);
  try {
    await writeFile(beside, content, { mode: 0o600, flag: "wx" });
    await link(beside, path);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw thrown;
  } finally {
    await rm(beside, { force: true });
  }
}

/**
 * Removes the lock file that a holder left behind, known by its content, and nothing else; false when somebody else was faster and
 * holds it now.
 */
export async function clearLockFile(path: string, seen: string): Promise<boolean> {
  const aside = besideOf(path);
  try {
    if ((lockFileText(path) ?? seen) !== seen) return false;
    await rename(path, aside);
  } catch {
    return true;
  }
  const isTheSame = (await readTextIfPresent(aside)) === seen;
  if (!isTheSame) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
  return isTheSame;
}

/**
 * Removes a lock file if it still has this content: another holder may have taken it over. At once, so that it works at a process's
 * end. Never throws: one that cannot be removed is taken over like that of a killed holder.
 */
export function removeLockFile(path: string, mine: string): void {
  try {
    if (lockFileText(path) === mine) rmSync(path, { force: true });
  } catch {
    // The folder is read-only now, or not ours any more.
  }
}

/** Reads at once and not in turn: between this and what follows nothing else of this process happens. Undefined when it is absent. */
export function lockFileText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  }
}

function besideOf(path: string): string {
  return `${path}.${randomUUID()}.part`;
}
