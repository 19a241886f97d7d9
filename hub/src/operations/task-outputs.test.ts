import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog, VirtualClock } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TaskOutputs } from "./task-outputs.ts";

const START = Date.parse("2026-05-20T10:00:00Z");
let folder: string;
let clock: VirtualClock;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-outputs-"));
  clock = new VirtualClock(START);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function outputs(mostBytes?: number): TaskOutputs {
  const deps = { folder: join(folder, "output"), clock, log: silentLog() };
  return new TaskOutputs(mostBytes === undefined ? deps : { ...deps, mostBytes });
}
const days = () => readdir(join(folder, "output"));

test("keeps the last report of each task, before and after it is on disk, and for the next hub", async () => {
  const kept = outputs();
  const task = { gen: 7, assignedAt: START };
  for (const text of ["first", "second", "third"]) kept.take(task, [text]);
  expect((await kept.read(task))?.text).toBe("third");
  await kept.stop();
  expect((await kept.read(task))?.text).toBe("third");
  expect((await outputs().read(task))?.text).toBe("third");
  expect(await kept.read({ gen: 8, assignedAt: START })).toBeUndefined();
});

test("is plain text, cut to its last lines and bytes", async () => {
  const kept = outputs();
  const task = { gen: 7, assignedAt: START };
  kept.take(task, ["\u001b[31mred\u001b[0m\u0007", "\u202etext"]);
  expect((await kept.read(task))?.text).toBe("red\ntext");
  kept.take(
    task,
    Array.from({ length: 1_000_000 }, (_, at) => `line ${at}`),
  );
  const lines = (await kept.read(task))?.text.split("\n") ?? [];
  expect([lines.length, lines.at(-1)]).toEqual([200, "line 999999"]);
  kept.take(task, ["x".repeat(1_000_000)]);
  expect((await kept.read(task))?.text).toHaveLength(32 * 1024);
  await kept.stop();
});

test("goes after two weeks, and the oldest days first when all together are too large", async () => {
  const old = START - 15 * 24 * 60 * 60_000;
  for (const [at, size] of [
    [old, 10],
    [START - 2 * 24 * 60 * 60_000, 600],
    [START - 24 * 60 * 60_000, 600],
    [START, 300],
  ] as const) {
    const day = join(folder, "output", new Date(at).toISOString().slice(0, 10));
    await mkdir(day, { recursive: true });
    await writeFile(join(day, "1.txt"), "x".repeat(size));
  }
  await outputs().prune();
  expect(await days()).toEqual(["2026-05-18", "2026-05-19", "2026-05-20"]);
  await outputs(1000).prune();
  expect(await days()).toEqual(["2026-05-19", "2026-05-20"]);
});

test("a folder that cannot be written stops nothing, and is complained of once", async () => {
  await writeFile(join(folder, "output"), "in the way");
  const told: string[] = [];
  const log = { ...silentLog(), warn: (_: object, sentence: string) => told.push(sentence) } as never;
  const kept = new TaskOutputs({ folder: join(folder, "output"), clock, log });
  for (const gen of [1, 2, 3]) kept.take({ gen, assignedAt: START }, ["text"]);
  await kept.stop();
  expect(told).toEqual(["what agents print cannot be kept; work goes on"]);
});
