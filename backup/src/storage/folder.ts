import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isAbsent, NestError, readTextIfPresent, writeFileAtomic } from "@nest/kit";
import { type BlobFacts, type BlobRow, type Blobs, blobAbsent, blobExists, type PutOptions } from "./blobs.ts";

const PIECE_BYTES = 1024 * 1024;
const PART = ".part";

interface Note {
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * Stores objects as files in a folder (`NEST_BACKUP_BUCKET=file:///…`), each with its metadata in a hidden file beside it. It
 * has no object locks.
 */
export class FolderBlobs implements Blobs {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async put(name: string, content: AsyncIterable<Buffer>, options: PutOptions): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const beside = join(this.#folder, `.${name}.${randomBytes(4).toString("hex")}${PART}`);
    try {
      const file = await open(beside, "wx", 0o600);
      try {
        for await (const piece of content) {
          options.signal.throwIfAborted();
          await file.writeFile(piece);
        }
        await file.sync();
      } finally {
        await file.close();
      }
      // A link, unlike a rename, fails when the name exists.
      await link(beside, join(this.#folder, name)).catch((thrown: NodeJS.ErrnoException) => {
        throw thrown.code === "EEXIST" ? blobExists(name) : thrown;
      });
      await this.#writeNote(name, { metadata: options.metadata });
    } finally {
      await rm(beside, { force: true });
    }
  }

  async *get(name: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    await this.#row(name);
    yield* createReadStream(join(this.#folder, name), { highWaterMark: PIECE_BYTES, signal });
  }

  async facts(name: string): Promise<BlobFacts> {
    const row = await this.#row(name);
    return { ...row, metadata: metadataIn(await readTextIfPresent(this.#noteOf(name))), lockedUntil: undefined };
  }

  async *list(prefix: string): AsyncGenerator<BlobRow> {
    const names = await readdir(this.#folder).catch((thrown: unknown) => {
      if (isAbsent(thrown)) return [];
      throw thrown;
    });
    for (const name of names) {
      if (!name.startsWith(prefix) || isOurs(name)) continue;
      // Another run may have removed it meanwhile.
      const row = await this.#row(name).catch((thrown: unknown) => {
        if (thrown instanceof NestError && thrown.code === "blob_absent") return undefined;
        throw thrown;
      });
      if (row !== undefined) yield row;
    }
  }

  async remove(name: string): Promise<"removed"> {
    await rm(join(this.#folder, name), { force: true });
    await rm(this.#noteOf(name), { force: true });
    return "removed";
  }

  async sweep(isOurs: (name: string) => boolean, before: number, _signal?: AbortSignal): Promise<number> {
    const names = await readdir(this.#folder).catch(() => []);
    const parts = names.filter(
      (name) => name.endsWith(PART) && isOurs(name.replace(/^\./, "").replace(/\.[0-9a-f]{8}\.part$/, "")),
    );
    let swept = 0;
    for (const part of parts) {
      const facts = await stat(join(this.#folder, part)).catch(() => undefined);
      if (facts === undefined || facts.mtimeMs >= before) continue;
      await rm(join(this.#folder, part), { force: true });
      swept += 1;
    }
    return swept;
  }

  async #row(name: string): Promise<BlobRow> {
    const facts = await stat(join(this.#folder, name)).catch((thrown: unknown) => {
      throw isAbsent(thrown) ? blobAbsent(name) : thrown;
    });
    // A folder is no object, and opening a pipe would block for ever.
    if (!facts.isFile()) throw blobAbsent(name);
    return { name, bytes: facts.size, modifiedAt: Math.floor(facts.mtimeMs) };
  }

  #noteOf(name: string): string {
    return join(this.#folder, `.${name}.json`);
  }

  #writeNote(name: string, note: Note): Promise<void> {
    return writeFileAtomic(this.#noteOf(name), JSON.stringify(note));
  }
}

/** Files beside the objects that are no objects: metadata, and unfinished uploads. */
function isOurs(name: string): boolean {
  return name.startsWith(".") && (name.endsWith(".json") || name.endsWith(PART));
}

/** A damaged metadata file is ignored; the object itself is not affected. */
function metadataIn(text: string | undefined): Readonly<Record<string, string>> {
  try {
    return (JSON.parse(text ?? "{}") as Note).metadata ?? {};
  } catch {
    return {};
  }
}
