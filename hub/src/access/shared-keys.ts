import { join } from "node:path";
import { makePrivateFolder, Secret, writeFileAtomic } from "@nest/kit";
import type { HubConfig } from "../config.ts";
import { masterKey } from "./signer.ts";

/** A key that every replica has: `mine` where nobody set one before. */
export type KeyOfAll = (name: string, mine: Buffer) => Promise<Buffer>;

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
export async function sharedKeys(config: HubConfig, keyOfAll: KeyOfAll): Promise<SharedKeys> {
  const shared = async (file: string, mine: Buffer): Promise<Buffer> => {
    const key = await keyOfAll(file, mine);
    if (!key.equals(mine)) {
      const folder = join(config.dataDir, "saas");
      await makePrivateFolder(folder);
      await writeFileAtomic(join(folder, file), key);
    }
    return key;
  };
  const master = await shared("hmac.key", await masterKey(config.dataDir));
  if (config.hubSecretIsGiven) return { master, hubSecret: config.hubSecret };
  const mine = Buffer.from(`${config.hubSecret.reveal()}\n`);
  return { master, hubSecret: new Secret((await shared("hub-secret.key", mine)).toString().trim()) };
}
