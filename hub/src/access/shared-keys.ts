import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent, makePrivateFolder, NestError, Secret, writeFileAtomic } from "@nest/kit";

const KEY_BYTES = 32;

/** A key that every replica has: `mine` where nobody set one before. */
export type KeyOfAll = (name: string, mine: Buffer) => Promise<Buffer>;

/** What the operator set of the keys, and where the others are kept. */
export interface GivenKeys {
  readonly dataDir: string;
  readonly hubSecret: Secret;
  /** Whether it was set, and not made at the first start. */
  readonly hubSecretIsGiven: boolean;
}

export interface SharedKeys {
  /** What sessions and sign-ins are signed with. */
  readonly master: Buffer;
  /** What spokes send with their heartbeats. */
  readonly hubSecret: Secret;
}

/**
 * The hub's own keys, the same at every replica. Those that the first one made are written into the data directory of each, so
 * that every backup holds them. A heartbeat secret that was set stays as it was set.
 *
 * @throws NestError `bad_key_file`.
 */
export async function sharedKeys(given: GivenKeys, keyOfAll: KeyOfAll): Promise<SharedKeys> {
  const shared = async (file: string, mine: Buffer): Promise<Buffer> => {
    const key = await keyOfAll(file, mine);
    if (!key.equals(mine)) {
      const folder = join(given.dataDir, "saas");
      await makePrivateFolder(folder);
      await writeFileAtomic(join(folder, file), key);
    }
    return key;
  };
  const master = await shared("hmac.key", await masterKey(given.dataDir));
  if (given.hubSecretIsGiven) return { master, hubSecret: given.hubSecret };
  const mine = Buffer.from(`${given.hubSecret.reveal()}\n`);
  return { master, hubSecret: new Secret((await shared("hub-secret.key", mine)).toString().trim()) };
}

/**
 * The hub's master key at `<data>/saas/hmac.key`: 32 bytes, made at first boot, readable by nobody else.
 *
 * @throws NestError `bad_key_file` for a file that is no key: with another one every session would silently end.
 */
async function masterKey(dataDir: string): Promise<Buffer> {
  const folder = join(dataDir, "saas");
  const path = join(folder, "hmac.key");
  try {
    const bytes = await readFile(path);
    if (bytes.length === KEY_BYTES) return bytes;
    const text = bytes.toString("latin1").trim();
    if (/^[0-9a-fA-F]{64}$/.test(text)) return Buffer.from(text, "hex");
  } catch (thrown) {
    if (!isAbsent(thrown)) throw thrown;
    const key = randomBytes(KEY_BYTES);
    await makePrivateFolder(folder);
    await writeFileAtomic(path, key);
    return key;
  }
  throw new NestError("bad_key_file", `${path} is not a key of 32 bytes`, {
    hint: "restore it from a backup, or remove it: everybody signs in again",
  });
}
