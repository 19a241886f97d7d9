import { expect, test } from "vitest";
import { meaningOf } from "./meaning.ts";

const said = (reason: string, message?: string) =>
  meaningOf({ type: "task_unavailable", reason, ...(message === undefined ? {} : { message }) } as never);

test("a reason is told in words, with what an admin said about it", () => {
  expect(said("paused")).toBe("an admin of the hub has paused you for now");
  expect(said("paused", "empty pull requests")).toBe("an admin of the hub has paused you for now: empty pull requests");
});

test("a reason of a newer hub is told in that hub's own words, or by its name", () => {
  expect(said("moon_phase", "the moon is full")).toBe("the moon is full");
  expect(said("moon_phase")).toContain("moon phase");
});
