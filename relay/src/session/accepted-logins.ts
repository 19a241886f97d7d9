import { createHash } from "node:crypto";
import { join } from "node:path";
import { makePrivateFolder, readTextIfPresent, writeFileAtomic } from "@nest/kit";
import type { HubEntry } from "../settings/config.ts";

/** At most this many logins are remembered: the oldest is forgotten first. */
const MOST_LOGINS = 64;
const FINGERPRINT = /^[0-9a-f]{64}$/;

type Login = Pick<HubEntry, "address" | "token">;

/**
 * Remembers, across restarts, which tokens a hub has accepted. A hub that is overloaded or has lost its records for a while
 * refuses a good token with the words for a bad one: a token that has worked is tried again, one that never did is not.
 */
export class AcceptedLogins {
  readonly #path: string;
  readonly #known: Set<string>;

  private constructor(path: string, known: readonly string[]) {
    this.#path = path;
    this.#known = new Set(known);
  }

  /** Reads what earlier relays on this state folder remembered. A file that cannot be read remembers nothing. */
  static async read(stateFolder: string): Promise<AcceptedLogins> {
    const path = join(stateFolder, "accepted-logins");
    const text = (await readTextIfPresent(path).catch(() => undefined)) ?? "";
    return new AcceptedLogins(
      path,
      text.split("\n").filter((line) => FINGERPRINT.test(line)),
    );
  }

  has(login: Login): boolean {
    return this.#known.has(fingerprint(login));
  }

  /** Resolves when it is on disk, also for the next relay; rejects when it could not be written, and is known here all the same. */
  async add(login: Login): Promise<void> {
    if (this.has(login)) return;
    this.#known.add(fingerprint(login));
    for (const oldest of this.#known) {
      if (this.#known.size <= MOST_LOGINS) break;
      this.#known.delete(oldest);
    }
    await makePrivateFolder(join(this.#path, ".."));
    await writeFileAtomic(this.#path, `${[...this.#known].join("\n")}\n`, { mode: 0o600 });
  }
}

/** Tells a hub and a token apart from others. Neither the token nor the key of its proof can be learned from it. */
function fingerprint({ address, token }: Login): string {
  return createHash("sha256").update(`nest accepted login\n${address}\n${token}`).digest("hex");
}
