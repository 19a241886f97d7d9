import { randomUUID } from "node:crypto";
import { chmod, lstat, readdir, rename, rmdir, unlink } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/** The permissions that an owner needs to read a folder and to change what is in it. */
const OWNERS = 0o700;

/**
 * Removes a folder that a hostile process filled, or a file or link in its place. Links are never followed, permissions that
 * were taken away are given back, and a chain of folders may be deeper than any path can name: each folder is moved up into the
 * outermost one before it is looked into. Call it when no process is left that could change the folder meanwhile.
 *
 * @returns what stays and why, as part of a sentence; undefined when all of it is gone. Never throws.
 */
export async function removeFolder(folder: string): Promise<string | undefined> {
  const failures: string[] = [];
  const attempt = async (step: () => Promise<unknown>) => {
    try {
      await step();
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      // Another relay may have removed it already.
      if (code !== "ENOENT") failures.push(code ?? String(thrown));
    }
  };
  await attempt(() => removeAll(folder, attempt));
  return failures[0] === undefined ? undefined : `${folder} (${failures[0]})`;
}

type Attempt = (step: () => Promise<unknown>) => Promise<void>;

async function removeAll(top: string, attempt: Attempt): Promise<void> {
  if (!(await openUp(top))) {
    await unlink(top);
    return;
  }
  const mark = randomUUID();
  const waiting = [top];
  for (let count = 0; waiting.length > 0; ) {
    const folder = waiting.pop() ?? top;
    await attempt(async () => {
      for (const entry of await readdir(folder)) {
        const inner = join(folder, entry);
        count += 1;
        const raised = join(top, `${mark}-${count}`);
        await attempt(async () => {
          if (!(await openUp(inner))) await unlink(inner);
          else if (await moved(inner, raised)) waiting.push(raised);
        });
      }
    });
    // The outermost folder goes last: the others were moved into it.
    if (folder !== top) await attempt(() => rmdir(folder));
  }
  await attempt(() => rmdir(top));
}

/** Moves a folder. Another user's folder cannot be moved, but can be removed when it is empty: then false. */
async function moved(folder: string, to: string): Promise<boolean> {
  try {
    await rename(folder, to);
    return true;
  } catch (thrown) {
    await rmdir(folder).catch(() => {
      throw thrown;
    });
    return false;
  }
}

/**
 * Removes a file or folder that a hostile process could reach, at a path that was known before it ran. Below `top` only real
 * folders are gone through: where the process put a link in the way, nothing is done.
 */
export async function removeBelow(top: string, path: string): Promise<void> {
  let at = top;
  for (const name of relative(top, path).split(sep)) {
    if (!(await openUp(at).catch(() => false))) return;
    at = join(at, name);
  }
  await removeFolder(at);
}

/**
 * Whether this is a real folder and no link to one. Where it is ours, also restores the owner's permissions to read and change
 * it.
 */
async function openUp(path: string): Promise<boolean> {
  const found = await lstat(path);
  if (!found.isDirectory()) return false;
  // Where it is not ours, the next step fails and says so.
  if ((found.mode & OWNERS) !== OWNERS) await chmod(path, OWNERS).catch(() => undefined);
  return true;
}
