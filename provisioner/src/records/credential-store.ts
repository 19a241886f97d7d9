import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { access, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isAbsent, makePrivateFolder, NestError, type Random, Secret, writeFileAtomic } from "@nest/kit";
import { z } from "zod";
import type { NestSecrets } from "../manifests/spec.ts";
import type { RecordStore } from "./record-store.ts";

const FILE = "credentials.sealed";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ORPHAN_MS = 600_000;

const Sealed = z.object({
  dashboardToken: z.string().optional(),
  githubToken: z.string().optional(),
  appKey: z.string().optional(),
  litellmApiKey: z.string().optional(),
  more: z.record(z.string(), z.string()).optional(),
});

/** What waits for the nest's Secret: everything but the hub's own heartbeat secret. */
export type WaitingSecrets = Omit<NestSecrets, "hubSecret">;

export interface CredentialStoreDeps {
  readonly records: Pick<RecordStore, "folderOf">;
  /** Any text that only the hub has; the key is made of it. */
  readonly key: Secret;
  readonly random: Random;
  readonly write?: (path: string, bytes: Uint8Array) => Promise<void>;
}

/**
 * Credentials that came with a create or claim, sealed beside the nest's record (AES-256-GCM) until its Secret holds them. They
 * survive a hub that is killed, and are in no log, record or archive in clear.
 */
export class CredentialStore {
  readonly #deps: CredentialStoreDeps;
  readonly #key: Buffer;

  constructor(deps: CredentialStoreDeps) {
    this.#deps = deps;
    this.#key = createHash("sha256").update("nest credentials v1\n").update(deps.key.reveal()).digest();
  }

  async keep(id: string, secrets: WaitingSecrets): Promise<void> {
    const plain = Sealed.parse({
      dashboardToken: secrets.dashboardToken?.reveal(),
      githubToken: secrets.githubToken?.reveal(),
      appKey: secrets.appKey?.reveal(),
      litellmApiKey: secrets.litellmApiKey?.reveal(),
      more: revealed(secrets.more),
    });
    const nonce = Buffer.from(this.#deps.random.hex(NONCE_BYTES), "hex");
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonce).setAAD(Buffer.from(id));
    const sealed = Buffer.concat([cipher.update(JSON.stringify(plain)), cipher.final()]);
    const write = this.#deps.write ?? writeFileAtomic;
    // They come before the record, so that no record is without the credentials that it was made with.
    await makePrivateFolder(this.#deps.records.folderOf(id));
    await write(this.#fileOf(id), Buffer.concat([nonce, sealed, cipher.getAuthTag()]));
  }

  /** Undefined when none wait. @throws NestError `nest_credentials_unreadable` when the file or the key is another one. */
  async take(id: string): Promise<WaitingSecrets | undefined> {
    let bytes: Buffer;
    try {
      bytes = await readFile(this.#fileOf(id));
    } catch (thrown) {
      if (isAbsent(thrown)) return undefined;
      throw unreadable(id);
    }
    return this.#open(id, bytes);
  }

  /** Removes what waited: the nest's Secret has it now. */
  async forget(id: string): Promise<void> {
    await rm(this.#fileOf(id), { force: true });
  }

  /**
   * Removes what waits for nests that never came: the hub was killed after it had sealed the credentials and before it wrote the
   * record. Called when a hub starts; what is younger than ten minutes may belong to another hub's create.
   */
  async removeOrphans(nestsFolder: string, nowMs: number): Promise<void> {
    for (const name of await readdir(nestsFolder).catch(() => [])) {
      const [meta, sealed] = [join(nestsFolder, name, "meta.json"), join(nestsFolder, name, FILE)];
      const found = await stat(sealed).catch(() => undefined);
      if (found === undefined || nowMs - found.mtimeMs < ORPHAN_MS) continue;
      const isOrphan = await access(meta).then(() => false, isAbsent);
      if (isOrphan) await rm(dirname(sealed), { recursive: true, force: true });
    }
  }

  #open(id: string, bytes: Buffer): WaitingSecrets {
    try {
      const decipher = createDecipheriv("aes-256-gcm", this.#key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(id)).setAuthTag(bytes.subarray(-TAG_BYTES));
      const sealed = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
      const plain = Buffer.concat([decipher.update(sealed), decipher.final()]).toString("utf8");
      return secretsOf(Sealed.parse(JSON.parse(plain)));
    } catch {
      // The cause may quote what was decrypted.
      throw unreadable(id);
    }
  }

  #fileOf(id: string): string {
    return join(this.#deps.records.folderOf(id), FILE);
  }
}

function secretsOf(plain: z.infer<typeof Sealed>): WaitingSecrets {
  const one = (value: string | undefined) => (value === undefined ? undefined : new Secret(value));
  const more = Object.entries(plain.more ?? {}).map(([key, value]) => [key, new Secret(value)] as const);
  return {
    dashboardToken: one(plain.dashboardToken),
    githubToken: one(plain.githubToken),
    appKey: one(plain.appKey),
    litellmApiKey: one(plain.litellmApiKey),
    ...(more.length === 0 ? {} : { more: Object.fromEntries(more) }),
  };
}

function revealed(more: Readonly<Record<string, Secret>> | undefined): Record<string, string> | undefined {
  if (more === undefined) return undefined;
  return Object.fromEntries(Object.entries(more).map(([key, value]) => [key, value.reveal()]));
}

function unreadable(id: string): NestError {
  return new NestError("nest_credentials_unreadable", `the credentials that wait for ${id} cannot be opened`, {
    hint: "the hub's key changed, or the file was damaged: delete the nest, and create it again",
  });
}
