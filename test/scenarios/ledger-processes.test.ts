import { readdirSync } from "node:fs";
import { cp, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Ledger } from "@nest/governor";
import { seededRandom, systemClock, systemRandom } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { BeadsMcp } from "../harness/beads-mcp.ts";
import { FolderHere } from "../harness/folder-here.ts";
import { ProcessHere } from "../harness/process-here.ts";

let folder: FolderHere;
beforeEach(async () => {
  folder = await FolderHere.make("ledger-processes");
});
afterEach(() => folder[Symbol.asyncDispose]());

const openLedger = (at = folder.in("scanner")) =>
  Ledger.open({ folder: at, actor: "dashboard", clock: systemClock(), random: systemRandom() });

/** Writes beads one after the other until the process ends; answers with the ids that were acknowledged. */
async function writeUntilEnded(writer: BeadsMcp, title: string): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const bead = await writer.call("create", { title: `${title} ${ids.length}`, notes: "x".repeat(500) });
    if (bead === undefined) return ids;
    ids.push(String(bead.id));
  }
}

test("what a process acknowledged before kill -9 is there, whatever moment it was killed at", async () => {
  const random = seededRandom(5);
  const clock = systemClock();
  const acknowledged: string[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    const writers = [1, 2].map(() => new BeadsMcp(folder.path, "scanner"));
    const written = writers.map((writer, at) => writeUntilEnded(writer, `turn ${turn} writer ${at}`));
    await Promise.all(writers.map((writer) => writer.call("ready")));
    for (const writer of writers) {
      await clock.sleep(random.fraction() * 120);
      writer.kill();
    }
    acknowledged.push(...(await Promise.all(written)).flat());
    await using ledger = await openLedger();
    for (const id of acknowledged) expect(ledger.show(id).id).toBe(id);
  }
  expect(acknowledged.length).toBeGreaterThan(100);
});

test("processes that write, take and compact at once lose nothing and give nothing out twice", async () => {
  await using mine = await openLedger();
  const wanted = await Promise.all(Array.from({ length: 60 }, (_, at) => mine.create({ title: `to take ${at}` })));
  const writers = [1, 2, 3].map(() => new BeadsMcp(folder.path, "scanner"));
  const compacting = compactUntil(mine, Promise.all(writers.map((writer) => writer.ended)));
  const taken = await Promise.all(
    writers.map((writer) =>
      takeAll(
        writer,
        wanted.map(({ id }) => id),
      ),
    ),
  );
  const notes = await Promise.all(
    writers.flatMap((writer, at) =>
      Array.from({ length: 30 }, (_, nth) => writer.call("remember", { id: wanted[0]?.id, text: `note ${at}.${nth}` })),
    ),
  );
  await Promise.all(writers.map((writer) => writer[Symbol.asyncDispose]()));
  await compacting;
  await using again = await openLedger();
  expect(taken.flat().sort()).toEqual(wanted.map(({ id }) => id).sort());
  expect(again.size).toBe(60);
  expect(notes.filter((note) => note === undefined)).toEqual([]);
  expect(
    again
      .show(wanted[0]?.id ?? "")
      .notes.split("\n")
      .sort(),
  ).toEqual([0, 1, 2].flatMap((at) => Array.from({ length: 30 }, (_, nth) => `note ${at}.${nth}`)).sort());
  expect(again.problems.count).toBe(0);
});

async function takeAll(writer: BeadsMcp, ids: readonly string[]): Promise<string[]> {
  const got: string[] = [];
  for (const id of ids)
    if ((await writer.call("update", { id, status: "in_progress", if_status: ["open"] })) !== undefined) got.push(id);
  return got;
}

async function compactUntil(ledger: Ledger, end: Promise<unknown>): Promise<void> {
  let isOver = false;
  void end.then(() => (isOver = true));
  while (!isOver) {
    await ledger.compact();
    await systemClock().sleep(20);
  }
}

test.each([
  ["the next log is there", /^log-/],
  ["the snapshot is being written", /^\.snapshot-.*\.001\.jsonl\.part$/],
  ["a part of the snapshot is there", /^snapshot-.*\.001\.jsonl$/],
  ["the snapshot is whole", /^snapshot-.*\.000\.jsonl$/],
])("a compaction that is killed when %s loses nothing", async (_, sign) => {
  await using seed = await openLedger();
  const issues = Array.from({ length: 5000 }, (_, at) => ({ id: `b-${at}`, title: "x".repeat(400) }));
  await seed.import(issues.map((issue) => JSON.stringify(issue)).join("\n"));
  for (let turn = 0; turn < 3; turn += 1) {
    const { id } = await seed.create({ title: `turn ${turn}` });
    await killCompactionAt(sign);
    await using ledger = await openLedger();
    expect([ledger.size, ledger.show(id).id, ledger.problems.count]).toEqual([5001 + turn, id, 0]);
  }
});

/** Compacts in another process, and kills it as soon as a new file of that name is there. */
async function killCompactionAt(sign: RegExp): Promise<void> {
  const before = new Set(readdirSync(folder.in("scanner")));
  const { HOME = folder.path } = process.env;
  const environment = { NEST_BEADS_DIR: folder.path, NEST_AGENT_NAME: "scanner", HOME };
  await using compactor = new ProcessHere("nest", ["beads", "compact"], environment);
  let isThere = false;
  let hasEnded = false;
  void compactor.ended.then(() => (hasEnded = true));
  while (!isThere && !hasEnded) {
    isThere = readdirSync(folder.in("scanner")).some((name) => sign.test(name) && !before.has(name));
    await new Promise((resolve) => setImmediate(resolve));
  }
  compactor.signal("SIGKILL");
  await compactor.ended;
}

test("a copy of the ledger that is made file by file while others write and compact opens again, and goes on", async () => {
  await using mine = await openLedger();
  const writer = new BeadsMcp(folder.path, "scanner");
  const acknowledged: string[] = [];
  for (let turn = 0; turn < 10; turn += 1) {
    for (let nth = 0; nth < 5; nth += 1)
      acknowledged.push(String((await writer.call("create", { title: `bead ${turn}.${nth}` }))?.id));
    const copy = folder.in(`copy-${turn}`);
    const known = acknowledged.length;
    const meanwhile = [
      writer.call("create", { title: "meanwhile" }),
      mine.compact(),
      writer.call("create", { title: "and" }),
    ];
    await copyTree(folder.in("scanner"), copy);
    await Promise.all(meanwhile);
    await using copied = await openLedger(copy);
    for (const id of acknowledged.slice(0, known)) expect(copied.show(id).id).toBe(id);
    const { id } = await copied.create({ title: "the restored ledger goes on" });
    await copied.compact();
    expect(copied.show(id).id).toBe(id);
  }
  await writer[Symbol.asyncDispose]();
});

/** As a backup does: the names first, then file after file; what went meanwhile is left out. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const name of await readdir(from)) await cp(join(from, name), join(to, name)).catch(() => undefined);
}
