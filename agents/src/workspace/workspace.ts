import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { makePrivateFolder } from "@nest/kit";
import { removeFolder } from "./remove-folder.ts";

/** How many folders of ended tasks are kept, newest first, to see what went wrong. */
const KEPT = 3;
const FOLDER = /^task-(\d+)-(\d{13,})-/;

/** Folders beside a workspace that hold a run's sandbox. Not needed once the run has ended. */
export const OF_A_RUN = ["home", "tmp", "own", "accounts"] as const;

/**
 * An empty folder for one task, 0700, under `root`. Its name says which relay made it and when, so that folders of relays
 * that are gone can be cleared away.
 */
export async function makeWorkspace(root: string, taskId: string, now: number): Promise<string> {
  await makePrivateFolder(root);
  const readable = taskId.replace(/[^A-Za-z0-9]+/g, "-").slice(0, 40);
  const folder = await mkdtemp(join(root, `task-${process.pid}-${now}-${readable}-`));
  await mkdir(join(folder, "work"), { mode: 0o700 });
  return join(folder, "work");
}

/** The file beside a workspace that the agent's transcript goes to. */
export function transcriptBeside(workspace: string): string {
  return join(workspace, "..", "transcript.log");
}

/**
 * Removes the folders of ended tasks but the last three. Folders of other living relays and of `current` are left alone;
 * so is everything under `root` that no relay made.
 *
 * @returns what cannot be removed and why; each folder once, however often it is tried. Never throws.
 */
export async function clearWorkspaces(root: string, current: readonly string[] = []): Promise<readonly string[]> {
  const names = await readdir(root).catch(() => []);
  const ended = names
    .flatMap((name) => {
      const match = FOLDER.exec(name);
      if (match === null) return [];
      const [pid, madeAt] = [Number(match[1]), Number(match[2])];
      const isCurrent = current.some((workspace) => workspace.startsWith(`${join(root, name)}/`));
      const held = pid === process.pid ? isCurrent : isAlive(pid);
      return held ? [] : [{ name, madeAt }];
    })
    .sort((a, b) => b.madeAt - a.madeAt);
  const inRoot = ({ name }: { name: string }) => join(root, name);
  // Copies of a login, left by a relay that was killed, are removed first.
  const copies = ended.map(inRoot).flatMap((folder) => OF_A_RUN.map((inner) => join(folder, inner)));
  const stays = await Promise.all(copies.map(removeFolder));
  // A folder that cannot be removed (root-owned files of a container) must not keep the next task from starting.
  stays.push(...(await Promise.all(ended.slice(KEPT).map(inRoot).map(removeFolder))));
  return stays.filter((left) => left !== undefined).filter(isNews);
}

const toldOf = new Set<string>();

function isNews(left: string): boolean {
  const isNew = !toldOf.has(left);
  toldOf.add(left);
  return isNew;
}

/** Whether a process with that number runs, ours or not. One that has ended and that nobody has waited for yet does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  return !hasEnded(pid);
}

/** Whether a process only waits for its parent to look at its end: where the system tells. */
function hasEnded(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold anything; the state follows it.
    return /^[ZX]/.test(text.slice(text.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}
