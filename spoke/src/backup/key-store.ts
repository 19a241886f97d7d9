import { chmod, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { parseKey } from "@nest/archive";
import { makePrivateFolder, NestError, readTextIfPresent, writeFileAtomic } from "@nest/kit";
import { changeOverlay } from "../config/overlay.ts";
import type { Author } from "../config/overlay-record.ts";
import { savedKeyFile } from "./key-sources.ts";

const KEY_FILE = ["governor", "backup", "key_file"] as const;
const KEY_NAME = ["governor", "backup", "key_name"] as const;

/**
 * Saves a key that the owner entered: the value into a file of mode 0600, path and label into the configuration. A new key
 * without a label clears the old label. Either both are done or neither.
 *
 * @throws NestError `bad_request` for a text that is no key; nothing is changed then.
 */
export async function saveKey(
  dataFolder: string,
  text: string,
  { label, author }: { readonly label: string | undefined; readonly author: Author },
): Promise<void> {
  if (text.trim() === "") {
    throw new NestError("bad_request", "encryptionKey: is empty", { hint: "to remove the key, use DELETE" });
  }
  const key = checked(text);
  const file = savedKeyFile(dataFolder);
  const before = await readTextIfPresent(file);
  await makePrivateFolder(dirname(file));
  // One that was there before may be open to others.
  await chmod(dirname(file), 0o700);
  await writeFileAtomic(file, `${key}\n`, { mode: 0o600 });
  try {
    const name = label === undefined || label.trim() === "" ? undefined : label.trim();
    const changes = [
      [KEY_FILE, file],
      [KEY_NAME, name],
    ] as const;
    await changeOverlay(dataFolder, changes, author);
  } catch (thrown) {
    if (before === undefined) await rm(file, { force: true });
    else await writeFileAtomic(file, before, { mode: 0o600 });
    throw thrown;
  }
}

/** Whether there is anything of a key that was saved here: its file, or a word of it in the configuration. */
export async function isKeySaved(
  dataFolder: string,
  settings: { readonly key_file?: string | undefined; readonly key_name?: string | undefined },
): Promise<boolean> {
  const file = savedKeyFile(dataFolder);
  if (settings.key_file === file || settings.key_name !== undefined) return true;
  return (await readTextIfPresent(file)) !== undefined;
}

/** Removes the key that was saved here; a key file elsewhere is never touched. */
export async function clearKey(dataFolder: string, configuredFile: string | undefined, author: Author): Promise<void> {
  const file = savedKeyFile(dataFolder);
  const pointsHere = configuredFile === undefined || configuredFile === file;
  const keys = pointsHere ? [KEY_FILE, KEY_NAME] : [KEY_NAME];
  const changes = keys.map((key) => [key, undefined] as const);
  await changeOverlay(dataFolder, changes, author);
  await rm(file, { force: true });
}

function checked(text: string): string {
  try {
    return parseKey(text, "encryptionKey").reveal();
  } catch (thrown) {
    if (!(thrown instanceof NestError)) throw thrown;
    throw new NestError("bad_request", thrown.message, thrown.hint === undefined ? {} : { hint: thrown.hint });
  }
}
