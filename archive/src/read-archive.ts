import { createHash, type Hash } from "node:crypto";
import { ByteReader, type ByteSource } from "./byte-reader.ts";
import { openChunks } from "./chunks.ts";
import { decompress } from "./codec.ts";
import { damaged, hostile, inconsistent } from "./errors.ts";
import { type Codec, HEADER_BYTES, hasMagic, MAGIC, readHeader } from "./header.ts";
import type { ArchiveKey } from "./key.ts";
import {
  compareWithManifest,
  MANIFEST_NAME,
  type Manifest,
  MOST_MANIFEST_BYTES,
  readManifest,
  type StoredFile,
} from "./manifest.ts";
import { openSingleShot } from "./single-shot.ts";
import type { MemberHead } from "./tar-header.ts";
import { type MemberVisitor, TarParser } from "./tar-parser.ts";

const MOST_MEMBER_BYTES = 64 * 1024 ** 3;
const MOST_MEMBERS = 5_000_000;

export interface ReadOptions {
  /** Tried in order until one fits. */
  readonly keys: readonly ArchiveKey[];
  readonly memberBytes?: number;
  readonly members?: number;
  /** Refuses the older form, which must be kept whole in memory, for objects that are not verified. */
  readonly onlyChunked?: boolean;
  readonly signal?: AbortSignal;
  progress?(soFar: { readonly files: number; readonly bytes: number }): void;
}

/** The content of a verified archive. */
export interface ArchiveContent {
  readonly manifest: Manifest;
  readonly form: "chunked" | "single-shot";
  readonly codec: Codec;
  readonly files: number;
  readonly bytes: number;
}

/**
 * Reads and verifies an encrypted archive, in constant memory for the chunked form: encryption, compression, tar and hashes
 * while reading, and the manifest at the end. `visitor` gets the members meanwhile; what it makes of them is valid only when
 * this resolves.
 *
 * @throws NestError with one of the codes of {@link ArchiveFault}.
 */
export async function readArchive(
  sealed: ByteSource,
  options: ReadOptions,
  visitor?: MemberVisitor,
): Promise<ArchiveContent> {
  const reader = new ByteReader(sealed);
  const members = new Members(visitor, options);
  const parser = new TarParser(members, {
    memberBytes: options.memberBytes ?? MOST_MEMBER_BYTES,
    members: options.members ?? MOST_MEMBERS,
  });
  try {
    const { payload, codec, form } = await openPayload(reader, options);
    for await (const block of decompress(new ByteReader(payload), codec)) {
      options.signal?.throwIfAborted();
      parser.push(block);
    }
    parser.finish();
    return { ...members.conclude(), form, codec };
  } finally {
    await reader.close();
  }
}

async function openPayload(
  reader: ByteReader,
  { keys, onlyChunked }: Pick<ReadOptions, "keys" | "onlyChunked">,
): Promise<{ payload: ByteSource; codec: Codec; form: ArchiveContent["form"] }> {
  if (!hasMagic(await reader.peek(MAGIC.length))) {
    if (onlyChunked === true) throw damaged("it does not begin as an archive does");
    return { payload: await openSingleShot(reader, keys), codec: "gzip", form: "single-shot" };
  }
  const header = readHeader(Buffer.from(await reader.take(HEADER_BYTES)), keys);
  return { payload: openChunks(reader, header), codec: header.codec, form: "chunked" };
}

/** Hashes every member, keeps the manifest, and passes the other members on. */
class Members implements MemberVisitor {
  readonly #visitor: MemberVisitor | undefined;
  readonly #progress: ReadOptions["progress"];
  readonly #stored = new Map<string, StoredFile>();
  #manifest: Buffer[] | undefined;
  #head: MemberHead | undefined;
  #hash: Hash = createHash("sha256");
  #bytes = 0;

  constructor(visitor: MemberVisitor | undefined, options: ReadOptions) {
    this.#visitor = visitor;
    this.#progress = options.progress;
  }

  begin(head: MemberHead): void {
    if (this.#manifest !== undefined) throw hostile("a member follows MANIFEST.json, which is always the last");
    this.#head = head;
    if (head.path === MANIFEST_NAME) {
      if (head.size > MOST_MANIFEST_BYTES) throw hostile("MANIFEST.json is larger than 256 MiB");
      this.#manifest = [];
    } else this.#hash = createHash("sha256");
    this.#visitor?.begin(head);
  }

  content(piece: Buffer): void {
    if (this.#manifest === undefined) this.#hash.update(piece);
    else this.#manifest.push(Buffer.from(piece));
    this.#visitor?.content(piece);
  }

  end(): void {
    this.#visitor?.end();
    const head = this.#head;
    if (head === undefined || this.#manifest !== undefined) return;
    this.#stored.set(head.path, { path: head.path, size: head.size, sha256: this.#hash.digest("hex") });
    this.#bytes += head.size;
    this.#progress?.({ files: this.#stored.size, bytes: this.#bytes });
  }

  conclude(): { manifest: Manifest; files: number; bytes: number } {
    if (this.#manifest === undefined) throw inconsistent("MANIFEST.json is missing");
    const manifest = readManifest(Buffer.concat(this.#manifest).toString("utf8"));
    compareWithManifest(this.#stored, manifest);
    return { manifest, files: this.#stored.size, bytes: this.#bytes };
  }
}
