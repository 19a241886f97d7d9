import { mkdir, readdir, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** A PATH with every program of this machine but those named: a folder of links. */
export async function pathWithout(folder: string, ...names: readonly string[]): Promise<string> {
  await mkdir(folder, { recursive: true });
  const left = new Set(names);
  for (const place of (process.env.PATH ?? "/usr/bin:/bin").split(delimiter).filter(Boolean))
    for (const name of await readdir(place).catch(() => []))
      if (!left.has(name)) {
        left.add(name);
        await symlink(join(place, name), join(folder, name));
      }
  return folder;
}
