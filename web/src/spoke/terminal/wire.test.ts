import { expect, test } from "vitest";
import { inputFrames, readServerFrame } from "./wire.ts";

const frame = (text: string) => new TextEncoder().encode(text);

test.each([
  ["0abc", { kind: "output", bytes: frame("abc") }],
  ["0", { kind: "output", bytes: frame("") }],
  ["1scanner", { kind: "title", title: "scanner" }],
  ['2{"disableStdin":true}', { kind: "preferences", isReadOnly: true }],
  ['2{"disableStdin":false}', { kind: "preferences", isReadOnly: false }],
  ["9later", { kind: "unknown" }],
  ["", { kind: "unknown" }],
])("the frame %s is read", (text, read) => {
  expect(readServerFrame(frame(text))).toEqual(read);
});

test("a long paste goes in frames that the server takes, and comes together as it was", () => {
  const pasted = "ä".repeat(50_000);
  const frames = inputFrames(pasted);
  expect(Math.max(...frames.map(({ length }) => length))).toBeLessThanOrEqual(16 * 1024 + 1);
  expect(frames.every(([kind]) => kind === "0".charCodeAt(0))).toBe(true);
  const all = frames.flatMap((one) => [...one.subarray(1)]);
  expect(new TextDecoder().decode(new Uint8Array(all))).toBe(pasted);
});
