import { expect, test } from "vitest";
import { lengthOf, readCast, squeezeIdle } from "./cast.ts";

const HEADER = JSON.stringify({ version: 2, width: 80, height: 24 });
const castOf = (...lines: readonly unknown[]) => [HEADER, ...lines.map((line) => JSON.stringify(line))].join("\n");

test("a recording in progress is read up to its last whole line", () => {
  const cast = readCast(`${castOf([0.5, "o", "one"], [1, "r", "100x30"], [1.5, "o", "two"])}\n[2, "o", "thr`);
  expect(cast).toEqual({
    columns: 80,
    rows: 24,
    events: [
      { at: 500, kind: "print", text: "one" },
      { at: 1000, kind: "size", columns: 100, rows: 30 },
      { at: 1500, kind: "print", text: "two" },
    ],
  });
});

test.each(["", "not a recording", '{"version":1,"width":80,"height":24}', '{"error":"no"}'])(
  "%j is no recording",
  (text) => {
    expect(readCast(text)).toBeUndefined();
  },
);

test("a recording cannot ask for a terminal that no browser could draw", () => {
  const cast = readCast(
    `${JSON.stringify({ version: 2, width: 1e9, height: -4 })}\n[1,"r","100000x100000"]\n[2,"r","x"]`,
  );
  expect(cast).toEqual({ columns: 500, rows: 1, events: [] });
});

test("time in a recording never runs backwards", () => {
  const cast = readCast(castOf([5, "o", "a"], [1, "o", "b"]));
  expect(cast?.events.map(({ at }) => at)).toEqual([5000, 5000]);
});

test("idle time is squeezed, and what came quickly stays as it came", () => {
  const cast = readCast(castOf([60, "o", "a"], [60.2, "o", "b"], [4000, "o", "c"]));
  if (cast === undefined) throw new Error("no recording");
  const squeezed = squeezeIdle(cast, 2000);
  expect(squeezed.events.map(({ at }) => Math.round(at))).toEqual([2000, 2200, 4200]);
  expect(lengthOf(squeezed)).toBeCloseTo(4200);
});
