import { rm } from "node:fs/promises";
import { writeFileAtomic } from "@nest/kit";
import type { TaskContext } from "@nest/protocol";

/** Leaves word of the task in hand for the agent and for people: 0600, without any credential. */
export async function writeContext(path: string, context: TaskContext): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify(context, undefined, 2)}\n`, { mode: 0o600 });
}

/** Takes it away again. */
export async function removeContext(path: string): Promise<void> {
  await rm(path, { force: true });
}
