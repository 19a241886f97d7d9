import { once } from "node:events";
import { createGunzip } from "node:zlib";
import { expect, test } from "vitest";
import { GZIP_START, packedPart, packedPartOfLong } from "./packed-stream.ts";

const lines = (count: number) => Buffer.from("event: activity\ndata: {}\n\n".repeat(count));

test("each part can be read as soon as it is there, short or long, and needs no other part", async () => {
  const parts = [lines(1), lines(5000), Buffer.from("ä"), Buffer.alloc(0), lines(30)];
  const packed = [...(await Promise.all(parts.slice(0, 2).map(packedPartOfLong))), ...parts.slice(2).map(packedPart)];
  // In another order, and twice: nothing refers to what came before.
  for (const order of [
    [0, 1, 2, 3, 4],
    [4, 2, 1, 1, 0],
  ]) {
    const reader = createGunzip();
    reader.write(GZIP_START);
    for (const nth of order) {
      const text = parts[nth] ?? Buffer.alloc(0);
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
  expect(packed[1]?.length).toBeLessThan((parts[1]?.length ?? 0) / 20);
});
