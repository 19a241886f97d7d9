import type { Clock } from "@nest/kit";
import { findTree, type ProcessTree } from "./process-tree.ts";
import type { ProcessRow } from "./processes.ts";

/** The time from SIGTERM to SIGKILL. It concerns real processes, so it does not scale with a test clock. */
export const KILL_GRACE_MS = 5000;
/** How long the system may take to remove a process after SIGKILL. */
const REMOVAL_MS = 3000;
const LOOK_EVERY_MS = 40;

/**
 * Ends a whole tree of processes: SIGTERM to everybody in it, `graceMs` later SIGKILL to whoever is left, again and again
 * until nobody is. Descendants that changed their process group or session are found too. Returns those that could not be
 * ended (another user's, or stuck in the kernel); empty when the tree is gone. Never throws for a process that is gone.
 */
export async function terminateTree(
  tree: ProcessTree,
  clock: Clock,
  graceMs: number = KILL_GRACE_MS,
): Promise<readonly ProcessRow[]> {
  const told = new Set<number>();
  let left = await findTree(tree);
  const graceEnds = clock.now() + graceMs;
  while (left.length > 0 && clock.now() < graceEnds) {
    for (const { pid } of left) {
      if (!told.has(pid)) signal(pid, "SIGTERM");
      told.add(pid);
    }
    await clock.sleep(LOOK_EVERY_MS);
    left = await findTree(tree);
  }
  const burialEnds = clock.now() + REMOVAL_MS;
  while (left.length > 0 && clock.now() < burialEnds) {
    for (const { pid } of left) signal(pid, "SIGKILL");
    await clock.sleep(LOOK_EVERY_MS);
    left = await findTree(tree);
  }
  return left;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended already, or is another user's: the next search tells.
  }
}
