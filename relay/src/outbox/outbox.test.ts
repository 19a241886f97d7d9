import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Outbox, type OutboxEntry } from "./outbox.ts";

let state: string;
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), "nest-outbox-"));
});
afterEach(() => rm(state, { recursive: true, force: true }));

const of = (session: string, hubAddress = "ws://a/", contributorId = "c-1") =>
  new Outbox(state, { hubAddress, contributorId, session });
const nobody = () => Promise.resolve(false);

function anEntry(taskId: string, savedAt = 0): OutboxEntry {
  return {
    saved_at: savedAt,
    report: { type: "task_complete", task_id: taskId, task_gen: 1, result: "completed" },
    work: { kind: "issue", repo: "acme/web", number: 1, title: "Title" },
  };
}

async function idsOf(outbox: Outbox): Promise<string[]> {
  return (await outbox.waiting()).map(({ report }) => report.task_id);
}

test("a report belongs to one hub, one contributor and one session", async () => {
  const mine = of("laptop");
  await mine.put(anEntry("t-1"));
  for (const other of [of("laptop", "ws://b/"), of("laptop", "ws://a/", "c-2"), of("laptop-2")]) {
    expect(await idsOf(other)).toEqual([]);
    await other.remove("t-1", 1);
  }
  expect(await idsOf(mine)).toEqual(["t-1"]);
});

test("what a relay left that is gone is taken over; what one that runs keeps is left alone", async () => {
  await of("gone").put(anEntry("t-gone", 1));
  await of("running").put(anEntry("t-running", 2));
  await of("mine").put(anEntry("t-mine", 3));
  await of("mine").adopt((session) => Promise.resolve(session === "running"));
  expect(await idsOf(of("mine"))).toEqual(["t-gone", "t-mine"]);
  expect(await idsOf(of("running"))).toEqual(["t-running"]);
});

test("what a release without sessions left is taken over", async () => {
  const outbox = of("mine");
  await outbox.put(anEntry("t-old"));
  const [identity = ""] = await readdir(join(state, "outbox"));
  const folder = join(state, "outbox", identity);
  const [file = ""] = await readdir(join(folder, "mine"));
  await rename(join(folder, "mine", file), join(folder, file));
  expect(await idsOf(outbox)).toEqual([]);
  await outbox.adopt(nobody);
  expect(await idsOf(outbox)).toEqual(["t-old"]);
});

test("of two relays that start at once each report goes to one", async () => {
  for (let task = 0; task < 40; task += 1) await of("gone").put(anEntry(`t-${task}`, task));
  const isRunning = (session: string) => Promise.resolve(session !== "gone");
  await Promise.all([of("one").adopt(isRunning), of("two").adopt(isRunning)]);
  const all = [...(await idsOf(of("one"))), ...(await idsOf(of("two")))];
  expect(all.sort()).toEqual(Array.from({ length: 40 }, (_, task) => `t-${task}`).sort());
});

test("a task id names no file: not its own, and none elsewhere", async () => {
  const outbox = of("mine");
  for (const id of ["../../../escaped", "/etc/escaped", "\u0000", "a".repeat(256)]) await outbox.put(anEntry(id));
  await mkdir(join(state, "beside"), { recursive: true });
  const files = (await readdir(state, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name).filter((name) => !/^[0-9a-f]{32}-1\.json$/.test(name))).toEqual([]);
  expect(files).toHaveLength(4);
});
