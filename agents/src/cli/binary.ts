import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/**
 * The absolute path of a program: a name is looked up on `path`, a path with a slash is taken from `from`. Undefined when
 * nothing there can be executed.
 */
export async function findBinary(
  command: string,
  path: string | undefined,
  from: string = process.cwd(),
): Promise<string | undefined> {
  if (command.includes("/")) {
    const full = isAbsolute(command) ? command : resolve(from, command);
    return (await isExecutable(full)) ? full : undefined;
  }
  for (const folder of (path ?? "").split(delimiter)) {
    if (folder === "") continue;
    const full = resolve(from, join(folder, command));
    if (await isExecutable(full)) return full;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
