import { VirtualClock } from "@nest/kit";
import { expect, test } from "vitest";
import { saveCompiledCode } from "./compiled-code.ts";

test.each([
  ["relay", 1],
  ["spoke", 1],
  ["hub", 0],
])("compiled code of a %s is saved %i times while it runs", async (program, times) => {
  const clock = new VirtualClock();
  let saved = 0;
  saveCompiledCode(program, clock, () => (saved += 1));
  await clock.advance(60_000);
  expect(saved).toBe(times);
});
