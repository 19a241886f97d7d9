import type { Reader } from "@nest/dispatch";
import { expect, test } from "vitest";
import { DoneByHour } from "./done-by-hour.ts";

test("a hub that has counted nothing yet reads the month of its tasks at once, not hour by hour", async () => {
  let asked = 0;
  const empty: Reader = {
    async all() {
      asked += 1;
      return [];
    },
  };
  await new DoneByHour().load(empty, Date.UTC(2026, 10, 23));
  expect(asked).toBeLessThan(5);
});
