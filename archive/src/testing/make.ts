import { createCipheriv, createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { sealChunks } from "../chunks.ts";
import { makeHeader } from "../header.ts";
import { type ArchiveKey, parseKey } from "../key.ts";
import type { Manifest, StoredFile } from "../manifest.ts";
import { BLOCK, memberHeader, paddingOf } from "../tar-header.ts";
import type { Member } from "../tar-writer.ts";
import { writeArchive } from "../write-archive.ts";

/** The key with which tests and vectors build archives. */
export const KEY: ArchiveKey = parseKey("00112233445566778899aabbccddeeff0123456789abcdeffedcba9876543210", "test");
export const OTHER_KEY: ArchiveKey = parseKey("f".repeat(64), "test");
export const SALT = createHash("sha256").update("a salt for tests, never used elsewhere").digest();
const CREATED = "2026-11-21T03:17:00.000Z";

export type Files = Readonly<Record<string, Buffer>>;

function aManifest(files: readonly StoredFile[], change: Partial<Manifest> = {}): Manifest {
  return { format_version: 1, created_at: CREATED, files: [...files], spoke_ids: [], ...change };
}

async function* membersOf(files: Files): AsyncGenerator<Member> {
  for (const [path, content] of Object.entries(files)) {
    yield { path, mode: 0o644, mtime: 1_795_230_000, size: content.length, content: [content] };
  }
}

/** Makes an archive as the product writes it. */
export async function anArchive(
  files: Files,
  options: { codec?: "gzip" | "zstd"; chunkLog2?: number; key?: ArchiveKey; manifest?: Partial<Manifest> } = {},
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const plan = {
    key: options.key ?? KEY,
    salt: SALT,
    members: membersOf(files),
    manifest: (rows: readonly StoredFile[]) => aManifest(rows, options.manifest),
    ...(options.codec === undefined ? {} : { codec: options.codec }),
    ...(options.chunkLog2 === undefined ? {} : { chunkLog2: options.chunkLog2 }),
  };
  for await (const piece of writeArchive(plan)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Encrypts any payload correctly, valid or not. */
export async function sealed(payload: Buffer, chunkLog2 = 16): Promise<Buffer> {
  const header = makeHeader({ key: KEY, salt: SALT, codec: "gzip", chunkLog2 });
  const pieces: Buffer[] = [];
  for await (const piece of sealChunks([payload], header)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Makes the older form: nonce, ciphertext, tag. */
export function singleShot(payload: Buffer, key: ArchiveKey = KEY): Buffer {
  const nonce = SALT.subarray(0, 12);
  const cipher = createCipheriv("aes-256-gcm", key.bytes(), nonce);
  return Buffer.concat([nonce, cipher.update(payload), cipher.final(), cipher.getAuthTag()]);
}

export interface RawMember {
  readonly path: string;
  readonly content?: Buffer;
  /** The type flag of the tar header; "0" is a regular file. */
  readonly type?: string;
  readonly linkTo?: string;
  readonly size?: number;
}

/** Makes a tar of any members, including hostile ones. */
export function aTar(members: readonly RawMember[], end: Buffer = Buffer.alloc(2 * BLOCK)): Buffer {
  const parts = members.flatMap((member) => {
    const content = member.content ?? Buffer.alloc(0);
    const head = memberHeader({ path: member.path, mode: 0o644, mtime: 0, size: member.size ?? content.length });
    const last = head.subarray(head.length - BLOCK);
    last.write(member.type ?? "0", 156, "latin1");
    if (member.linkTo !== undefined) last.write(member.linkTo, 157, 100, "utf8");
    last.write("        ", 148, "latin1");
    const sum = last.reduce((total, byte) => total + byte, 0);
    last.write(`${sum.toString(8).padStart(6, "0")}\u0000 `, 148, "latin1");
    return [head, content, Buffer.alloc(paddingOf(content.length))];
  });
  return Buffer.concat([...parts, end]);
}

/** Adds a matching manifest after the members. */
export function withManifest(members: readonly RawMember[], change: Partial<Manifest> = {}): RawMember[] {
  const rows = members.map(({ path, content = Buffer.alloc(0) }) => rowOf(path, content));
  const text = Buffer.from(JSON.stringify(aManifest(rows, change), undefined, 2));
  return [...members, { path: "MANIFEST.json", content: text }];
}

export function rowOf(path: string, content: Buffer): StoredFile {
  return { path, size: content.length, sha256: createHash("sha256").update(content).digest("hex") };
}

/** Compresses and encrypts a tar of these members correctly. */
export function sealedTar(members: readonly RawMember[], end?: Buffer): Promise<Buffer> {
  return sealed(gzipSync(aTar(members, end)));
}

/** Reproducible bytes that do not compress. */
export function noise(bytes: number, seed = "noise"): Buffer {
  const parts: Buffer[] = [];
  for (let number = 0; number * 32 < bytes; number += 1) {
    parts.push(createHash("sha256").update(`${seed} ${number}`).digest());
  }
  return Buffer.concat(parts).subarray(0, bytes);
}
