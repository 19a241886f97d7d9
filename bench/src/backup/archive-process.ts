import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  type Codec,
  type Member,
  NameSet,
  parseKey,
  ReadBuffer,
  readArchive,
  treeMembers,
  writeArchive,
} from "@nest/archive";
import { content } from "./tree.ts";

/**
 * One piece of work in a process of its own, so that its memory is its own: `write FOLDER FILE CODEC`, `verify FILE`,
 * `single-shot FOLDER FILE` (the older shape: everything in memory), `stream MEGABYTES` (content made on the way, thrown away).
 */
const KEY = parseKey("ab".repeat(32), "bench");
const MIB = 1024 * 1024;
const [work = "", ...words] = process.argv.slice(2);

if (work === "write") await write(words[0] ?? "", words[1] ?? "", (words[2] ?? "gzip") as Codec);
if (work === "verify") await readArchive(createReadStream(words[0] ?? "", { highWaterMark: MIB }), { keys: [KEY] });
if (work === "single-shot") singleShot(words[0] ?? "", words[1] ?? "");
if (work === "stream") await stream(Number(words[0]));
process.stdout.write(`${process.resourceUsage().maxRSS}\n`);

function write(folder: string, file: string, codec: Codec): Promise<void> {
  async function* members(): AsyncGenerator<Member> {
    const names = new NameSet();
    yield* treeMembers({
      root: join(folder, "saas"),
      prefix: "hub/saas",
      names,
      skipped: () => {},
      buffer: new ReadBuffer(),
    });
  }
  return pipeline(sealed(members(), codec), createWriteStream(file, { highWaterMark: MIB }));
}

function sealed(members: AsyncIterable<Member>, codec: Codec): AsyncGenerator<Buffer> {
  const manifest = (files: readonly { path: string; size: number; sha256: string }[]) => {
    return { format_version: 1, created_at: new Date(0).toISOString(), files: [...files] };
  };
  return writeArchive({ key: KEY, salt: randomBytes(32), codec, members, manifest });
}

async function stream(megabytes: number): Promise<void> {
  let sealedBytes = 0;
  const pieces = Array.from({ length: 4 }, (_, index) => Buffer.alloc(MIB, content(index * 3, 40_000)));
  async function* members(): AsyncGenerator<Member> {
    for (let index = 0; index < megabytes; index += 64) {
      const size = Math.min(64, megabytes - index) * MIB;
      const parts = Array.from({ length: size / MIB }, (_, at) => pieces[(index + at) % pieces.length] as Buffer);
      yield { path: `hub/saas/f${index}`, mode: 0o600, mtime: 0, size, content: parts };
    }
  }
  for await (const piece of sealed(members(), "zstd")) sealedBytes += piece.length;
  if (sealedBytes === 0) throw new Error("nothing was sealed");
}

/** What the format was once: one tar, one gzip, one cipher call, all of it in memory, opened again to verify. */
function singleShot(folder: string, file: string): void {
  const root = join(folder, "saas");
  const parts: Buffer[] = [];
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    createHash("sha256").update(bytes).digest();
    parts.push(Buffer.alloc(512), bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512));
  }
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", KEY.bytes(), nonce);
  const whole = Buffer.concat([
    nonce,
    cipher.update(gzipSync(Buffer.concat(parts))),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  const open = createDecipheriv("aes-256-gcm", KEY.bytes(), nonce, { authTagLength: 16 });
  open.setAuthTag(whole.subarray(whole.length - 16));
  const plain = gunzipSync(Buffer.concat([open.update(whole.subarray(12, whole.length - 16)), open.final()]));
  createHash("sha256").update(plain).digest();
  writeFileSync(file, whole);
}
