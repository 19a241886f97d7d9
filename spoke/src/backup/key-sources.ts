import { join } from "node:path";
import { type ArchiveKey, parseKey } from "@nest/archive";
import { isAbsent, NestError, readSmallText, sentenceOf } from "@nest/kit";

/** Where a spoke looks for its backup key, first hit wins (spec: Backup encryption key, resolution order). */
export interface KeySources {
  /** `governor.backup.key_file` */
  readonly keyFile: string | undefined;
  /** `governor.backup.key_env` */
  readonly keyEnv: string | undefined;
  readonly dataFolder: string;
  /** The admin-managed mount, `/secrets`. */
  readonly secretsFolder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export const KEY_NAME = "backup_encryption_key";
/** A key has 64 characters; whatever is much larger is none. */

export type ResolvedKey =
  | { readonly kind: "key"; readonly key: ArchiveKey; readonly source: string }
  | { readonly kind: "none" }
  /** A source has a key that cannot be used: the search stops there, and says why. */
  | { readonly kind: "unusable"; readonly source: string; readonly because: string };

/** The file that the dashboard saves a key to. */
export function savedKeyFile(dataFolder: string): string {
  return join(dataFolder, "secrets", KEY_NAME);
}

/** The backup key now. Only an absent or empty source falls through to the next. */
export async function resolveKey(sources: KeySources): Promise<ResolvedKey> {
  const { keyFile, keyEnv, dataFolder, secretsFolder, environment } = sources;
  for (const file of [keyFile, savedKeyFile(dataFolder), join(secretsFolder, KEY_NAME)]) {
    if (file === undefined) continue;
    const found = await fromFile(file);
    if (found !== undefined) return found;
  }
  for (const name of [keyEnv, "NEST_BACKUP_KEY"]) {
    const value = name === undefined ? undefined : environment[name];
    if (name !== undefined && value !== undefined && value.trim() !== "") return parsed(value, `env:${name}`);
  }
  return { kind: "none" };
}

async function fromFile(file: string): Promise<ResolvedKey | undefined> {
  const source = `file:${file}`;
  try {
    const text = await readSmallText(file);
    if (text === undefined) return { kind: "unusable", source, because: "the key file is no file that holds a key" };
    return text.trim() === "" ? undefined : parsed(text, source);
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    return {
      kind: "unusable",
      source,
      because: `the key file cannot be read (${(thrown as NodeJS.ErrnoException).code})`,
    };
  }
}

function parsed(text: string, source: string): ResolvedKey {
  try {
    return { kind: "key", key: parseKey(text, source), source };
  } catch (thrown) {
    if (!(thrown instanceof NestError)) throw thrown;
    return { kind: "unusable", source, because: sentenceOf(thrown) };
  }
}
