import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { TimeSlicer } from "./time-slicer.ts";

/** A work that takes a whole slice at each step. */
async function work(breath: TimeSlicer, steps: number, done: () => void): Promise<void> {
  for (let step = 0; step < steps; step += 1) {
    const until = performance.now() + 3;
    while (performance.now() < until);
    done();
    await breath.pause();
  }
}

test("however many works are under way, a turn of the loop goes on with one of them", async () => {
  const order: number[] = [];
  const works = [0, 1, 2].map((nth) => work(new TimeSlicer(), 4, () => order.push(nth)));
  const begun = order.length;
  for (let turn = 1; turn <= 6; turn += 1) {
    await setImmediate();
    expect(order.length).toBeLessThanOrEqual(begun + turn);
  }
  await Promise.all(works);
  expect(order).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]);
});

test("a work that rests leaves the loop to everybody else for a turn at least", async () => {
  const slicer = new TimeSlicer({ sliceMs: 0.01, restMs: 1 });
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns += 1) await setImmediate();
  })();
  let before = -1;
  await work(slicer, 20, () => {
    expect(turns).toBeGreaterThan(before);
    before = turns;
  });
  isDone = true;
  await others;
});
