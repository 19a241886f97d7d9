import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteReader } from "./byte-reader.ts";
import { openChunks, sealChunks } from "./chunks.ts";
import { HEADER_BYTES, makeHeader, readHeader } from "./header.ts";
import { parseKey } from "./key.ts";
import { readArchive } from "./read-archive.ts";
import { anArchive, aTar, KEY, noise, OTHER_KEY, SALT, sealed, singleShot } from "./testing/make.ts";

const CHUNK = 65_536;
const header = makeHeader({ key: KEY, salt: SALT, codec: "gzip", chunkLog2: 16 });

async function gathered(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

function* inSteps(bytes: Buffer, step: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
}

describe("the seal", () => {
  const sizes = [1, 1000, CHUNK - 1, CHUNK, CHUNK + 1, CHUNK + 100, 2 * CHUNK, 2 * CHUNK + 500];
  test.each(sizes)("opens to the same %i bytes, whatever the steps in which they come", async (size) => {
    const payload = noise(size);
    const archive = await gathered(sealChunks(inSteps(payload, 1313), header));
    expect(archive.length).toBe(HEADER_BYTES + size + 16 * Math.ceil(size / CHUNK));
    for (const step of [7919, CHUNK + 16, archive.length]) {
      const reader = new ByteReader(inSteps(archive, step));
      await reader.take(HEADER_BYTES);
      expect((await gathered(openChunks(reader, header))).equals(payload)).toBe(true);
    }
  });

  test("plaintext of a chunk is never given out before its tag was checked", async () => {
    const archive = await gathered(sealChunks([noise(3 * CHUNK)], header));
    archive[HEADER_BYTES + CHUNK + 16 + 5] = (archive[HEADER_BYTES + CHUNK + 16 + 5] ?? 0) ^ 1;
    const reader = new ByteReader([archive]);
    await reader.take(HEADER_BYTES);
    let released = 0;
    const reading = (async () => {
      for await (const piece of openChunks(reader, header)) released += piece.length;
    })();
    await expect(reading).rejects.toThrow("changed in chunk 1");
    expect(released).toBe(CHUNK);
  });

  test("a damaged archive says where and how", async () => {
    const archive = await gathered(sealChunks([noise(3 * CHUNK)], header));
    const say = async (bytes: Buffer) => {
      const reader = new ByteReader([bytes]);
      await reader.take(HEADER_BYTES);
      return gathered(openChunks(reader, header)).then(
        () => "ok",
        (thrown: Error) => thrown.message,
      );
    };
    expect(await say(archive.subarray(0, HEADER_BYTES + CHUNK + 16))).toContain("truncated at chunk 0, byte 65640");
    expect(await say(Buffer.concat([archive, Buffer.from([1])]))).toContain("something follows its end");
    expect(await say(archive.subarray(0, archive.length - 3))).toContain("truncated or changed in chunk 2");
  });

  test("any cut, and any flipped bit, is noticed", async () => {
    const archive = await anArchive({ "hub/a": noise(70_000), "hub/b": Buffer.from("b") }, { chunkLog2: 16 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: archive.length - 1 }),
        fc.nat(7),
        fc.boolean(),
        async (at, bit, cut) => {
          const bad = cut ? archive.subarray(0, at) : Buffer.from(archive);
          if (!cut) bad[at] = (bad[at] ?? 0) ^ (1 << bit);
          const codes = ["archive_damaged", "archive_wrong_key"];
          const code = await readArchive([bad], { keys: [KEY] }).then(
            () => "ok",
            (thrown) => thrown.code,
          );
          expect(codes).toContain(code);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("the key", () => {
  test("a wrong key is told from the header alone", async () => {
    const archive = await anArchive({ "hub/a": noise(1000) });
    let asked = 0;
    async function* source() {
      for (const piece of inSteps(archive, HEADER_BYTES)) {
        asked += 1;
        yield piece;
      }
    }
    const reading = readArchive(source(), { keys: [OTHER_KEY] });
    await expect(reading).rejects.toMatchObject({ code: "archive_wrong_key" });
    expect(asked).toBe(1);
  });

  test("of several keys the one that fits is found", async () => {
    const archive = await anArchive({ "hub/a": noise(1000) });
    expect((await readArchive([archive], { keys: [OTHER_KEY, KEY] })).files).toBe(1);
  });

  test.each([
    ["", "0"],
    ["ab", "2"],
    [`${"a".repeat(63)}`, "63"],
    [`${"a".repeat(65)}`, "65"],
    [`${"g".repeat(64)}`, "other characters"],
    [`${"a".repeat(32)} ${"a".repeat(31)}`, "other characters"],
  ])("%j is refused without being repeated", (text, word) => {
    const read = () => parseKey(text, "NEST_BACKUP_KEY");
    expect(read).toThrow(`NEST_BACKUP_KEY: the backup key must be 64 hexadecimal characters, it has ${word}`);
  });

  test("white space around a key and capitals are fine; a key prints as [secret]", () => {
    const key = parseKey(` ${"AB".repeat(32)}\n`, "file");
    expect(key.bytes().toString("hex")).toBe("ab".repeat(32));
    expect(`${key} ${JSON.stringify({ key })}`).toBe('[secret] {"key":"[secret]"}');
  });

  test("the same content under another salt shares no chunk and no commitment", () => {
    const other = makeHeader({ key: KEY, salt: noise(32), codec: "gzip" });
    const one = makeHeader({ key: KEY, salt: SALT, codec: "gzip" });
    expect(one.payloadKey.equals(other.payloadKey)).toBe(false);
    expect(one.bytes.subarray(48, 80).equals(other.bytes.subarray(48, 80))).toBe(false);
    expect(readHeader(one.bytes, [KEY]).payloadKey.equals(one.payloadKey)).toBe(true);
  });
});

describe("an archive", () => {
  const part = fc.stringMatching(/^[a-z0-9ü_-][a-z0-9ü._-]{0,30}[a-z0-9]$/);
  const path = fc.array(part, { minLength: 1, maxLength: 12 }).map((parts) => `hub/${parts.join("/")}`);
  const file = fc.tuple(path, fc.oneof(fc.nat(3000), fc.constantFrom(0, 511, 512, 513, 1_048_576)));
  const isTaken = (names: string[], name: string) =>
    names.some((other) => other === name || other.startsWith(`${name}/`) || name.startsWith(`${other}/`));

  test.each(["gzip", "zstd"] as const)("of any tree comes back as it was (%s)", async (codec) => {
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 12 }), async (list) => {
        const files: Record<string, Buffer> = {};
        for (const [name, size] of list) {
          const clean = name.normalize("NFC");
          if (!isTaken(Object.keys(files), clean)) files[clean] = noise(size, clean);
        }
        const archive = await anArchive(files, { codec, chunkLog2: 16 });
        const back = new Map<string, Buffer[]>();
        let now: Buffer[] = [];
        const content = await readArchive(
          [archive],
          { keys: [KEY] },
          {
            begin: (head) => {
              now = [];
              back.set(head.path, now);
            },
            content: (piece) => now.push(Buffer.from(piece)),
            end: () => {},
          },
        );
        expect(content.manifest.files.map(({ path: name }) => name)).toEqual(Object.keys(files));
        for (const [name, bytes] of Object.entries(files)) {
          expect(Buffer.concat(back.get(name) ?? []).equals(bytes)).toBe(true);
        }
      }),
      { numRuns: 25 },
    );
  });

  test("whose block grows over the size that it announces is refused before it fills the memory", async () => {
    const zeros = Buffer.alloc(16 * 1024 * 1024);
    const { deflateRawSync, crc32 } = await import("node:zlib");
    const body = deflateRawSync(zeros, { level: 9 });
    const head = Buffer.alloc(20);
    Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 8, 0, 0x4e, 0x42, 4, 0]).copy(head);
    head.writeUInt32LE(20 + body.length + 8, 16);
    const tail = Buffer.alloc(8);
    tail.writeUInt32LE(crc32(zeros), 0);
    tail.writeUInt32LE(1024, 4);
    const bomb = await sealed(Buffer.concat([head, body, tail]));
    await expect(readArchive([bomb], { keys: [KEY] })).rejects.toMatchObject({ code: "archive_damaged" });
  });

  test.each(["chunked", "single-shot"])("that is a zip bomb in one stream is refused on the way (%s)", async (form) => {
    const { gzipSync } = await import("node:zlib");
    const bomb = gzipSync(aTar([{ path: "hub/zeros", content: Buffer.alloc(200 * 1024 * 1024) }]), { level: 9 });
    const archive = form === "chunked" ? await sealed(bomb) : singleShot(bomb);
    let bytes = 0;
    const add = (piece: Buffer) => {
      bytes += piece.length;
    };
    const visitor = { begin: () => {}, end: () => {}, content: add };
    const reading = readArchive([archive], { keys: [KEY] }, visitor);
    await expect(reading).rejects.toMatchObject({ code: "archive_hostile" });
    expect(bytes).toBeLessThan(128 * 1024 * 1024);
  });

  test.each(["gzip", "zstd"] as const)("of ours with a large file of zeros opens (%s)", async (codec) => {
    const archive = await anArchive({ "hub/zeros": Buffer.alloc(100 * 1024 * 1024) }, { codec });
    expect((await readArchive([archive], { keys: [KEY] })).bytes).toBe(100 * 1024 * 1024);
  });
});
