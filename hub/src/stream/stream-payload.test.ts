import { constants, gunzipSync } from "node:zlib";
import { TimeSlicer } from "@nest/kit";
import { expect, test } from "vitest";
import { GZIP_START, Packer } from "./packed-stream.ts";
import { LongEvent } from "./stream-payload.ts";

test.each([0, 1, 46, 47, 500])(
  "a long event of %i pieces says the same packed and plain, and is made once",
  async (count) => {
    const pieces = Array.from({ length: count }, (_, nth) => `[${nth},"${"ä".repeat(nth)}"]`);
    const packer = new Packer();
    let made = 0;
    const json = () => {
      made += 1;
      return pieces;
    };
    const event = new LongEvent({ name: "work", json, slicer: new TimeSlicer(), packer });
    const text = `event: work\ndata: ${pieces.join("")}\n\n`;
    for (let nth = 0; nth < 2; nth += 1) {
      expect(Buffer.concat([...(await event.plain())]).toString()).toBe(text);
      const packed = Buffer.concat([GZIP_START, ...(await event.packed())]);
      expect(gunzipSync(packed, { finishFlush: constants.Z_SYNC_FLUSH }).toString()).toBe(text);
    }
    expect(made).toBe(2);
    packer.close();
  },
);
