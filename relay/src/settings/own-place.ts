import { access, constants, lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { sentenceOf } from "@nest/kit";
import type { RelayConfig } from "./config.ts";

interface FoundThere {
  readonly uid: number;
  isFile(): boolean;
}

/** Why a file at a default place is not ours to replace; undefined when it is. Root may replace any file, but no folder. */
export function whyTaken(found: FoundThere, ourUser: number | undefined): string | undefined {
  if (!found.isFile()) return "is no regular file";
  return ourUser === undefined || ourUser === 0 || found.uid === ourUser ? undefined : "belongs to another user";
}

/**
 * The path for a file that is in the temporary folder by default: there, unless another user of the machine has that path
 * already or we may not write there; then the same name in the relay's own folder, which nobody else may enter. `because` says
 * why.
 */
export async function ownPlace(path: string, stateFolder: string): Promise<{ path: string; because?: string }> {
  const because = await whyNotOurs(path);
  return because === undefined ? { path } : { path: inOwnFolder(path, stateFolder), because: `${path} ${because}` };
}

/** The same name in the relay's own folder. */
export function inOwnFolder(path: string, stateFolder: string): string {
  return join(stateFolder, basename(path));
}

/** Moves the configuration's files out of other users' reach. A file that the operator named stays where it is. */
export async function withOwnPlaces(config: RelayConfig, say: (line: string) => void): Promise<RelayConfig> {
  const placed = async (path: string, isNamed: boolean, what: string) => {
    if (isNamed) return path;
    const own = await ownPlace(path, config.stateFolder);
    if (own.because !== undefined) say(`warning: ${own.because}: ${what} is kept in ${own.path}`);
    return own.path;
  };
  return {
    ...config,
    taskContextFile: await placed(config.taskContextFile, config.filesAreNamed.context, "the task in hand"),
    statusFile:
      config.mode === "headless"
        ? await placed(config.statusFile, config.filesAreNamed.status, "the status")
        : config.statusFile,
  };
}

async function whyNotOurs(path: string): Promise<string | undefined> {
  try {
    return whyTaken(await lstat(path), process.getuid?.());
  } catch (thrown) {
    // A missing folder is made, or reported, when the file is written.
    if ((thrown as NodeJS.ErrnoException).code !== "ENOENT") return `cannot be looked at (${sentenceOf(thrown)})`;
    const refused = await access(dirname(path), constants.W_OK | constants.X_OK).catch((why: unknown) => why);
    const { code } = (refused ?? {}) as NodeJS.ErrnoException;
    return code === undefined || code === "ENOENT" ? undefined : `cannot be written (${code})`;
  }
}
