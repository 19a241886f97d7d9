import { statfs } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { type Environment, variable } from "@nest/kit";
import type { Check } from "./checks.ts";

const GIB = 1024 ** 3;
/** A clone, what its build makes, and the last three workspaces. */
const ENOUGH_BYTES = 5 * GIB;
const LEAST_BYTES = GIB / 2;

/** Whether the disk of the workspaces has room for a task. */
export async function checkDisk(environment: Environment): Promise<Check> {
  const name = "disk";
  const folder =
    variable(environment, "NEST_WORKSPACE") ?? join(environment.HOME || homedir(), ".cache/nest/workspaces");
  const free = await freeBytes(folder);
  if (free === undefined) return { name, ok: true, detail: `the room at ${folder} is not known`, required: false };
  const detail = `${(free / GIB).toFixed(1)} GiB free for workspaces (${folder})`;
  if (free >= ENOUGH_BYTES) return { name, ok: true, detail, required: false };
  const remedy = "free some, or name another folder in NEST_WORKSPACE";
  return { name, ok: false, detail, remedy, required: free < LEAST_BYTES };
}

/** Free bytes of the disk that a folder is on, or will be; undefined where the system does not tell. */
async function freeBytes(folder: string): Promise<number | undefined> {
  const found = await statfs(folder).catch(() => undefined);
  if (found !== undefined) return found.bavail * found.bsize;
  return dirname(folder) === folder ? undefined : freeBytes(dirname(folder));
}
