import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { removeAbandoned, unfinishedName } from "@nest/archive";

const PART = ".part";

/**
 * Writes an archive beside its destination, has it checked there, and then renames it in one step. Until then an existing
 * file stays. A killed run leaves no partial archive under the name; its temporary file is encrypted, and the next run to the
 * same destination removes it.
 */
export async function writeLocal(options: {
  readonly file: string;
  readonly random: string;
  readonly content: AsyncIterable<Buffer>;
  check(written: string): Promise<void>;
}): Promise<void> {
  const file = resolve(options.file);
  const start = `.${basename(file)}.`;
  const beside = join(dirname(file), unfinishedName(start, options.random, PART));
  try {
    const handle = await open(beside, "wx", 0o600);
    try {
      await removeAbandoned(dirname(file), { start, end: PART }, (await handle.stat()).mtimeMs);
      for await (const piece of options.content) await handle.writeFile(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await options.check(beside);
    await rename(beside, file);
  } finally {
    await rm(beside, { force: true });
  }
  const folder = await open(dirname(file), "r");
  await folder.sync().finally(() => folder.close());
}
