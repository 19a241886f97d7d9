import fc from "fast-check";
import { expect, test } from "vitest";
import { ControlModeReader } from "./control-mode.ts";

const escaped = (bytes: Uint8Array) =>
  [...bytes]
    .map((byte) =>
      byte < 0x20 || byte === 0x5c ? `\\${byte.toString(8).padStart(3, "0")}` : String.fromCharCode(byte),
    )
    .join("");

test("every byte a program printed comes back, wherever the pieces are cut", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 50 }), (printed, size) => {
      const line = Buffer.from(`%begin 1 2 0\n%output %3 ${escaped(printed)}\n%exit\n`, "latin1");
      const reader = new ControlModeReader();
      const out: Buffer[] = [];
      for (let at = 0; at < line.length; at += size) {
        for (const event of reader.take(line.subarray(at, at + size)))
          if (event.kind === "output") out.push(event.bytes);
      }
      expect(Buffer.concat(out)).toEqual(Buffer.from(printed));
    }),
  );
});

test("a window that changed its size says so", () => {
  const line = Buffer.from("%layout-change @0 b25d,120x40,0,0,0 b25d,120x40,0,0,0 *\n");
  expect(new ControlModeReader().take(line)).toEqual([{ kind: "size", columns: 120, rows: 40 }]);
});

test("a line without an end is not collected for ever", () => {
  const reader = new ControlModeReader();
  const mebibyte = Buffer.alloc(1024 * 1024, 0x61);
  for (let pieces = 0; pieces < 6; pieces += 1) expect(reader.take(mebibyte)).toEqual([]);
  expect(reader.take(Buffer.from("\n%output %1 x\n"))).toEqual([{ kind: "output", bytes: Buffer.from("x") }]);
});
