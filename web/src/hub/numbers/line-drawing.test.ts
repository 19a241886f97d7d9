import { expect, test } from "vitest";
import { drawingOf, lastMeasured } from "./line-drawing.ts";

const x = (nth: number) => nth * 10;
const y = (value: number) => 100 - value;

test("a value that stands alone is a dot, and no stroke that nobody sees", () => {
  expect(drawingOf([undefined, 4, undefined, 1, 2], x, y)).toEqual({
    line: "M30.0 99.0L40.0 98.0",
    dots: "M10.0 96.0h0",
  });
  expect(drawingOf([7], x, y)).toEqual({ line: "", dots: "M0.0 93.0h0" });
});

test("the moment whose values are said at first is the last one that was measured", () => {
  expect(lastMeasured([[undefined, 3, undefined], [1]])).toBe(1);
  expect(lastMeasured([[undefined], []])).toBeUndefined();
});
