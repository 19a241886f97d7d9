import { expect, test } from "vitest";
import { compareVersions } from "./version.ts";

test.each([
  ["1.2", "current"],
  ["1.02", "current"],
  ["1.1", "older"],
  ["1.10", "newer"],
  ["2.0", "incompatible"],
  ["0.9", "incompatible"],
  [undefined, "unknown"],
  ["", "unknown"],
  ["1", "malformed"],
  ["1.2.3", "malformed"],
  ["v1.2", "malformed"],
  [" 1.2", "malformed"],
  ["1.2\n", "malformed"],
  ["٣.٢", "malformed"],
] as const)("a relay that declares %j is %s", (declared, verdict) => {
  expect(compareVersions(declared, "1.2")).toBe(verdict);
});
