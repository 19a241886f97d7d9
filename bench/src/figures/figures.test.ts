import { expect, test } from "vitest";
import { rank, Samples } from "./percentiles.ts";
import { ratioLine, short, table } from "./table.ts";

test("percentiles are those of the nearest rank", () => {
  const samples = new Samples();
  for (let value = 100; value >= 1; value -= 1) samples.add(value);
  expect(samples.sum()).toEqual({ count: 100, p50: 50, p99: 99, p999: 100 });
});

test("of nothing there is no percentile", () => {
  expect(rank(new Float64Array(), 0.5)).toBeNaN();
});

test("a table lines up", () => {
  expect(table(["hub", "per s"], [["ours", "27,000"]])).toBe("hub    per s\n----  ------\nours  27,000");
});

test("a ratio is of two figures of the same run", () => {
  expect(ratioLine("cycles", { name: "hub", value: 30 }, { name: "naive hub", value: 4 })).toBe(
    "ratio: cycles: hub / naive hub = 7.50",
  );
});

test("a figure that is missing gives no ratio", () => {
  expect(ratioLine("cycles", { name: "hub", value: 30 }, { name: "BullMQ", value: Number.NaN })).toContain(
    "not measured",
  );
});

test.each([
  [27_298.4, "27,298"],
  [0.316, "0.32"],
  [undefined, "-"],
])("%s reads %s", (value, text) => {
  expect(short(value)).toBe(text);
});
