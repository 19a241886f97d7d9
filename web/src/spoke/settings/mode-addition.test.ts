import { expect, test } from "vitest";
import { modeAddition } from "./mode-addition.ts";

test("a mode is added with its threshold and the intervals that were given", () => {
  expect(modeAddition("surge", 20, { scanner: " 10m ", writer: "", guide: "pause" })).toEqual({
    governor: { modes: { surge: { threshold: 20, scanner: "10m", guide: "pause" } } },
  });
});
