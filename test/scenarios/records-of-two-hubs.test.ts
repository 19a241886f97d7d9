import { spawn } from "node:child_process";
import { join } from "node:path";
import { silentLog, systemClock, VirtualClock } from "@nest/kit";
import { HostedNestRecord } from "@nest/protocol";
import { RecordStore } from "@nest/provisioner";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FolderHere } from "../harness/folder-here.ts";

const ID = "hosted-acme-widgets-ab12";
const WRITER = join(import.meta.dirname, "../fakes/record-writer-process.ts");
let folder: FolderHere;
let records: RecordStore;

beforeEach(async () => {
  folder = await FolderHere.make("records-of-two-hubs");
  records = new RecordStore({ dataFolder: folder.path, clock: systemClock(), log: silentLog() });
  await records.create(HostedNestRecord.parse({ id: ID, owner: "octo", status: "running" }));
});
afterEach(() => folder[Symbol.asyncDispose]());

/** Runs a process that changes the record; answers with the changes that it was told were made, and how it ended. */
async function writer(name: string, times: number, killedIn?: number) {
  const words = [WRITER, folder.path, ID, name, String(times), ...(killedIn === undefined ? [] : [String(killedIn)])];
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.once("close", (...end) => resolve(end)),
  );
  return { made: said.trimEnd().split("\n"), code, signal };
}

test("two hubs that change one record in the same instant are kept apart, and no change is lost", async () => {
  const writers = await Promise.all([writer("one", 150), writer("two", 150), writer("three", 150)]);
  expect(writers.map(({ code }) => code)).toEqual([0, 0, 0]);
  const { repos, revision } = await records.get(ID);
  expect([...repos].sort()).toEqual(writers.flatMap(({ made }) => made).sort());
  expect([repos.length, revision]).toEqual([450, 451]);
});

test("a hub that is killed in a change keeps nobody from the record, and what it had acknowledged is there", async () => {
  const writers = await Promise.all([writer("one", 60), writer("two", 60, 20), writer("three", 60, 40)]);
  expect(writers.map(({ signal }) => signal)).toEqual([null, "SIGKILL", "SIGKILL"]);
  const { repos } = await records.get(ID);
  expect([...repos].sort()).toEqual(writers.flatMap(({ made }) => made).sort());
  expect(writers.map(({ made }) => made.length)).toEqual([60, 20, 40]);
});

test("a record whose holder was killed is free ten seconds later, and not before", async () => {
  await writer("one", 1, 0);
  const clock = new VirtualClock();
  const later = new RecordStore({ dataFolder: folder.path, clock, log: silentLog() });
  let isDone = false;
  const changing = later.change(ID, (record) => ({ ...record, owner: "hexa" })).then(() => (isDone = true));
  await pass(clock, 9_000);
  expect(isDone).toBe(false);
  // A slow disk lets it look later than at the start; then its ten seconds end later too.
  while (!isDone) await pass(clock, 500);
  await changing;
  expect((await records.get(ID)).owner).toBe("hexa");
});

/** Lets time go on in small steps, with the disk's answers between. */
async function pass(clock: VirtualClock, milliseconds: number): Promise<void> {
  for (let gone = 0; gone < milliseconds; gone += 500) {
    await clock.advance(500);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
