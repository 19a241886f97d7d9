import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent } from "@nest/kit";

/** The relay's package, as this hub hands it out. */
export interface RelayPackage {
  readonly content: Buffer;
  /** SHA-256 as 64 hexadecimal characters. */
  readonly digest: string;
}

/** Where `scripts/build-relay.mjs` puts it; images have it at the same place. */
export const RELAY_PACKAGE = join(import.meta.dirname, "../../../dist/relay.tgz");

/** Reads the package that contributors install from this hub. It is read again when the file has changed. */
export class RelayPackages {
  readonly #path: string;
  #read: { readonly changedAt: number; readonly found: RelayPackage } | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The package; undefined where it was not made. */
  async current(): Promise<RelayPackage | undefined> {
    try {
      const { mtimeMs } = await stat(this.#path);
      if (this.#read?.changedAt !== mtimeMs) {
        const content = await readFile(this.#path);
        const digest = createHash("sha256").update(content).digest("hex");
        this.#read = { changedAt: mtimeMs, found: { content, digest } };
      }
      return this.#read.found;
    } catch (thrown) {
      if (isAbsent(thrown)) return undefined;
      throw thrown;
    }
  }
}
