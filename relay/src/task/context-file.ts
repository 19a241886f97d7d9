import { rm } from "node:fs/promises";
import { sentenceOf, writeFileAtomic } from "@nest/kit";
import type { TaskContext } from "@nest/protocol";
import type { RelayConfig } from "../settings/config.ts";
import { inOwnFolder, ownPlace } from "../settings/own-place.ts";

/**
 * Writes a file about the task in hand, for the agent and for people: 0600, without any credential.
 *
 * @returns its path; undefined when it can be written nowhere. The task goes on: the prompt holds the same.
 */
export async function writeContext(
  config: RelayConfig,
  context: TaskContext,
  onWarning: (sentence: string) => void,
): Promise<string | undefined> {
  const { taskContextFile, filesAreNamed, stateFolder } = config;
  const first = filesAreNamed.context ? { path: taskContextFile } : await ownPlace(taskContextFile, stateFolder);
  const places = filesAreNamed.context ? [first.path] : [first.path, inOwnFolder(taskContextFile, stateFolder)];
  const refusals = first.because === undefined ? [] : [first.because];
  for (const path of new Set(places))
    try {
      await writeFileAtomic(path, `${JSON.stringify(context, undefined, 2)}\n`, { mode: 0o600 });
      if (refusals.length > 0) onWarning(`the task in hand is kept in ${path}: ${refusals.join("; ")}`);
      return path;
    } catch (thrown) {
      refusals.push(sentenceOf(thrown));
    }
  onWarning(`the task's context file cannot be written, the agent works without it: ${refusals.join("; ")}`);
  return undefined;
}

export async function removeContext(path: string | undefined): Promise<void> {
  if (path !== undefined) await rm(path, { force: true });
}
