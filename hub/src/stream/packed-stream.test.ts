import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createGunzip } from "node:zlib";
import { expect, test } from "vitest";
import { GZIP_START, Packer, stored } from "./packed-stream.ts";

const lines = (count: number) => Buffer.from("event: activity\ndata: {}\n\n".repeat(count));

/** What a reader of the stream makes of these parts. */
async function readParts(packed: readonly Buffer[], texts: readonly Buffer[], order: readonly number[]): Promise<void> {
  const reader = createGunzip();
  reader.write(GZIP_START);
  for (const nth of order) {
    const text = texts[nth] ?? Buffer.alloc(0);
    reader.write(packed[nth] ?? Buffer.alloc(0));
    let read = Buffer.alloc(0);
    while (read.length < text.length) {
      const [chunk] = (await once(reader, "data")) as [Buffer];
      read = Buffer.concat([read, chunk]);
    }
    expect(read.equals(text)).toBe(true);
  }
  reader.destroy();
}

test("each part can be read as soon as it is there, short or long, and needs no other part", async () => {
  const packer = new Packer();
  const texts = [lines(1), lines(5000), Buffer.from("ä"), Buffer.alloc(0), lines(30), randomBytes(200_000)];
  // All at once, as when a snapshot and lines of the feed are packed.
  const packed = await Promise.all(texts.map((text) => packer.pack(text)));
  // In another order, and twice: nothing refers to what came before.
  await readParts(packed, texts, [0, 1, 2, 3, 4, 5]);
  await readParts(packed, texts, [5, 4, 2, 1, 1, 0]);
  expect(packed[1]?.length).toBeLessThan((texts[1]?.length ?? 0) / 20);
  packer.close();
});

test("a part that is not compressed can be read too, however long it is", async () => {
  const texts = [lines(1), randomBytes(200_000), Buffer.alloc(0)];
  await readParts(texts.map(stored), texts, [0, 1, 2, 1]);
});

test("what is not packed when it is closed is said, and nobody waits for ever", async () => {
  const packer = new Packer();
  const lost = [lines(100_000), lines(100)].map((text) => packer.pack(text));
  setImmediate(() => packer.close());
  expect((await Promise.allSettled(lost)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect(packer.pack(lines(100))).rejects.toThrow("closed");
});

test("what was packed is not kept until the whole heap is collected", async () => {
  setFlagsFromString("--expose-gc");
  const collectYoung = () => (runInNewContext("gc") as (options: { type: "minor" }) => void)({ type: "minor" });
  const packer = new Packer();
  const before = process.memoryUsage().arrayBuffers;
  for (let nth = 0; nth < 100; nth += 1) {
    await packer.pack(Buffer.alloc(100_000, `${nth}`));
    collectYoung();
  }
  for (let nth = 0; nth < 3; nth += 1) collectYoung();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2_000_000);
  packer.close();
});
