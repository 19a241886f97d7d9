import fc from "fast-check";
import { expect, test } from "vitest";
import { readViewerFrame } from "./frames.ts";

test.each([
  ["0ls\r", { kind: "input", bytes: Buffer.from("ls\r") }],
  ["0", { kind: "input", bytes: Buffer.alloc(0) }],
  ['1{"columns":120,"rows":40}', { kind: "resize", columns: 120, rows: 40 }],
  ['{"AuthToken":"","columns":90,"rows":30}', { kind: "resize", columns: 90, rows: 30 }],
  ['1{"columns":100000,"rows":0}', { kind: "resize", columns: 500, rows: 1 }],
  ["2", { kind: "pause" }],
  ["3", { kind: "resume" }],
])("the frame %s is read", (frame, read) => {
  expect(readViewerFrame(Buffer.from(frame))).toEqual(read);
});

test.each([
  "",
  "1",
  "1{",
  "1null",
  "1[]",
  '1{"columns":1.5,"rows":2}',
  '1{"columns":"9","rows":9}',
  "{",
  "{}",
  "9",
  "é",
])("the frame %s is passed over", (frame) => {
  expect(readViewerFrame(Buffer.from(frame))).toEqual({ kind: "unknown" });
});

test("any bytes are a frame or are passed over, and a size can always be drawn", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const frame = readViewerFrame(Buffer.from(bytes));
      if (frame.kind !== "resize") return;
      expect(frame.columns).toBeGreaterThan(1);
      expect(frame.rows).toBeGreaterThan(0);
    }),
  );
});
