import { expect, test } from "vitest";
import type { BenchRelay } from "../load/bench-relay.ts";
import { expectNothing, Oddities } from "../load/modes.ts";
import { EVENTS_A_TASK, ShiftLoop } from "../load/shift-loop.ts";
import { growthPerMinute } from "./renderer-memory.ts";
import { frameFigures } from "./scrolled-frames.ts";

test("a frame is late when it took more than two periods of the screen", () => {
  const figures = frameFigures([
    { frames: [16, 17, 17], longTasks: [], rows: 9 },
    { frames: [100], longTasks: [80], rows: 9 },
  ]);
  expect(figures).toMatchObject({ count: 4, median: 17, lateShare: 0.25, longTasks: 1, longest: 80 });
});

test("memory that comes and goes has no growth, and one that only comes has", () => {
  const samples = (values: readonly number[]) => values.map((value, nth) => ({ atMs: nth * 10_000, value }));
  expect(growthPerMinute(samples([50, 60, 50, 60, 50]))).toBeCloseTo(0);
  expect(growthPerMinute(samples([50, 51, 52, 53]))).toBeCloseTo(6);
});

test("a fleet at work sends as many events as were asked for, and keeps each task as long", () => {
  let now = 0;
  const said: string[] = [];
  const relay = {
    askForWork: () => said.push("ready"),
    accept: () => said.push("accepted", "progress"),
    report: () => said.push("progress"),
    complete: () => said.push("complete"),
  } as unknown as BenchRelay;
  const odd = new Oddities();
  const loop = new ShiftLoop({ odd, relays: [relay], eventsPerSecond: EVENTS_A_TASK, holdMs: 600, now: () => now });
  const events = { ...expectNothing(odd), ...loop.events() };
  const pass = (ms: number) => {
    now += ms;
    loop.turn();
  };
  pass(1000);
  events.assigned(relay, { taskId: "t", gen: "1", issue: "a/b#1" });
  pass(299);
  expect(said).toEqual(["ready", "accepted", "progress"]);
  pass(1);
  pass(300);
  expect(said).toEqual(["ready", "accepted", "progress", "progress", "complete"]);
  expect(loop.measured().events).toBe(EVENTS_A_TASK);
  pass(400);
  expect(odd.counts).toEqual({ "no idle relay: the hub is behind the offered rate": 1 });
});
