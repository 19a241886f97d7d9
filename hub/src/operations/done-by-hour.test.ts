import type { Changes, Reader } from "@nest/dispatch";
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

test("a sum is that of all contributors, hour by hour", () => {
  const hour = 3_600_000;
  const done = new DoneByHour();
  const ending = (contributorId: string, endedAt: number, outcome: string) => ({
    lease: { contributorId },
    endedAt,
    outcome,
  });
  const changes = (endings: unknown[]) =>
    ({ granted: new Map(), leases: new Map(), endings, counted: new Map() }) as unknown as Changes;
  done.count(changes([ending("a", 0, "completed"), ending("b", 1, "completed"), ending("b", hour, "expired")]));
  expect(done.sum(1, hour)).toMatchObject({ completed: 0, failed: 1 });
  expect(done.sum(2, hour)).toMatchObject({ completed: 2, failed: 1 });
  expect([...done.since(0)].map(([id, { completed, failed }]) => [id, completed, failed])).toEqual([
    ["a", 1, 0],
    ["b", 1, 1],
  ]);
});
