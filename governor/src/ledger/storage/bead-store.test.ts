import { chown, cp, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom, VirtualClock } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ledger } from "../ledger.ts";
import { BeadStore } from "./bead-store.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-ledger-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const random = seededRandom(100);
const clock = new VirtualClock();
const open = (path = folder) => Ledger.open({ folder: path, actor: "scanner", clock, random });

/** A ledger with these titles, closed again. */
async function written(titles: readonly string[], compactAfter?: number): Promise<string[]> {
  await using ledger = await open();
  const ids: string[] = [];
  for (const [at, title] of titles.entries()) {
    ids.push((await ledger.create({ title })).id);
    if (at === compactAfter) await ledger.compact();
  }
  return ids;
}

test("a log that was cut at any byte has every line before the cut, and takes new ones", async () => {
  const log = join(folder, "log-00000001.jsonl");
  const ids = await written(["one", "two", "three"]);
  const whole = await readFile(log);
  const ends = [...whole.entries()]
    .filter(([at, byte]) => byte === 10 && at > 0 && whole[at - 1] !== 10)
    .map(([at]) => at);
  for (let cut = (ends[0] ?? 0) + 1; cut <= whole.length; cut += 1) {
    await writeFile(log, whole.subarray(0, cut));
    await using ledger = await open();
    const expected = ids.filter((_, at) => cut > (ends[at] ?? Number.POSITIVE_INFINITY));
    expect(ledger.size, `cut at ${cut}`).toBe(expected.length);
    for (const id of expected) ledger.show(id);
    const { id } = await ledger.create({ title: "after the cut" });
    await using again = await open();
    // A line that misses nothing but its line feed gets it from the next one, and counts.
    expect(again.size, `cut at ${cut}`).toBe(expected.length + (ends.includes(cut) ? 2 : 1));
    expect(again.show(id).title).toBe("after the cut");
  }
});

test("a line with a byte that changed is skipped and told of; the others stay", async () => {
  const log = join(folder, "log-00000001.jsonl");
  const ids = await written(["one", "two", "three"]);
  const whole = await readFile(log);
  const at = whole.indexOf("two");
  whole.write("twx", at);
  await writeFile(log, whole);
  await using ledger = await open();
  expect(ids.map((id) => ledger.list({}).beads.some((bead) => bead.id === id))).toEqual([true, false, true]);
  expect(ledger.problems).toMatchObject({ count: 1, first: [{ because: "damaged", file: "log-00000001.jsonl" }] });
});

test.each([
  ["the next log was made", async () => writeFile(join(folder, "log-00000002-0123456789abcdef.jsonl"), "")],
  ["the log was ended", async () => removeAll(/^(?:snapshot-00000002|\.)/)],
  ["the parts of the snapshot were written", async () => removeAll(/^snapshot-00000002-.*\.000\.jsonl$/)],
  ["a part was written by half", async () => cutAll(/^snapshot-00000002-.*\.001\.jsonl$/)],
  ["the head was written by half", async () => cutAll(/^snapshot-00000002-.*\.000\.jsonl$/)],
  ["the copy of a folder missed the new log", async () => removeAll(/^(?:snapshot|log)-00000002/)],
  ["the old log is gone and the snapshot is whole", async () => removeAll(/^log-00000001/)],
])("a compaction that ended when %s has lost nothing", async (_, goBack) => {
  const titles = ["one", "two", "three"];
  const ids = await written(titles, titles.length - 1);
  await goBack();
  const more = await written(["four"], 0);
  await using ledger = await open();
  expect(ledger.size).toBe(4);
  for (const id of [...ids, ...more]) ledger.show(id);
});

test("the generation before the newest snapshot stays, older ones go", async () => {
  for (const turn of [1, 2, 3, 4]) await written([`turn ${turn}`], 0);
  const names = (await readdir(folder)).map((name) => name.replace(/-[0-9a-f]{16}/, "")).sort();
  expect(names).toEqual([
    "log-00000004.jsonl",
    "log-00000005.jsonl",
    "snapshot-00000004.000.jsonl",
    "snapshot-00000004.001.jsonl",
    "snapshot-00000005.000.jsonl",
    "snapshot-00000005.001.jsonl",
  ]);
});

test("a snapshot that is damaged is told of, and the one before it has the same beads", async () => {
  const ids = [...(await written(["one"], 0)), ...(await written(["two"], 0)), ...(await written(["three"]))];
  await cutAll(/^snapshot-00000003-.*\.001\.jsonl$/);
  await using ledger = await open();
  for (const id of ids) ledger.show(id);
  expect(ledger.problems.first).toMatchObject([{ because: "incomplete_snapshot" }]);
});

test("a line that was ended before it was written goes into the next log, once", async () => {
  await using mine = await open();
  await using theirs = await open();
  const { id } = await mine.create({ title: "x" });
  await theirs.refresh();
  await mine.compact();
  await mine.compact();
  await theirs.remember("written behind two ends", id);
  await mine.refresh();
  expect(mine.show(id).notes).toBe("written behind two ends");
});

test("a line that was written behind the end of its log is written again to the next one, and counts there once", async () => {
  await using mine = await BeadStore.open(folder, random);
  await using theirs = await BeadStore.open(folder, random);
  const base = { n: random.hex(8), at: "2026-01-01T00:00:00.000Z", by: "scanner" };
  const { id } = await written(["x"]).then(([first = ""]) => ({ id: first }));
  await mine.compact(base);
  await mine.compact(base);
  expect(await theirs.commit([{ ...base, n: random.hex(8), op: "note", id, text: "late" }])).toEqual(["counts"]);
  await mine.refresh();
  expect([mine.book.get(id)?.notes, theirs.book.get(id)?.notes]).toEqual(["late", "late"]);
});

test.skipIf(process.getuid?.() !== 0)(
  "what root writes into an agent's ledger belongs to the agent's user",
  async () => {
    await chown(folder, 65534, 65534);
    await written(["one", "two"], 1);
    for (const name of await readdir(folder))
      expect([name, (await stat(join(folder, name))).uid]).toEqual([name, 65534]);
  },
);

test("a log never grows so large that it is not read any more, however much comes at once", async () => {
  await using ledger = await open();
  const { id } = await ledger.create({ title: "x" });
  const notes = "x".repeat(60_000);
  await Promise.all(Array.from({ length: 1300 }, () => ledger.update(id, { notes })));
  const issues = Array.from({ length: 1300 }, (_, at) => ({ id: `b-${at}`, title: "x", notes }));
  // More than the ledger's texts may be together: the rest is refused, what came before stays.
  await expect(ledger.import(issues.map((issue) => JSON.stringify(issue)).join("\n"))).rejects.toMatchObject({
    code: "ledger_full",
  });
  for (const name of await readdir(folder))
    expect((await stat(join(folder, name))).size).toBeLessThan(40 * 1024 * 1024);
  await using again = await open();
  expect(again.size).toBeGreaterThan(1000);
  expect(again.size).toBe(ledger.size);
});

test("a copy of the folder opens at any moment of a compaction, with everything that was acknowledged before it", async () => {
  await using ledger = await open(join(folder, "live"));
  const ids: string[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    ids.push((await ledger.create({ title: `turn ${turn}`, notes: "x".repeat(20_000) })).id);
    const copy = join(folder, `copy-${turn}`);
    const known = [...ids];
    await Promise.all([ledger.compact(), ledger.create({ title: "meanwhile" }), copied(join(folder, "live"), copy)]);
    await using again = await open(copy);
    for (const id of known) again.show(id);
    await again.create({ title: "the copy goes on" });
    await again.compact();
  }
});

/** File after file, each at another moment, as a backup copies; files that went meanwhile are left out. */
async function copied(from: string, to: string): Promise<void> {
  for (const name of (await readdir(from)).sort()) {
    await new Promise((resolve) => setImmediate(resolve));
    await cp(join(from, name), join(to, name)).catch(() => undefined);
  }
}

async function removeAll(pattern: RegExp): Promise<void> {
  for (const name of await readdir(folder)) if (pattern.test(name)) await rm(join(folder, name));
}

async function cutAll(pattern: RegExp): Promise<void> {
  for (const name of await readdir(folder)) if (pattern.test(name)) await truncate(join(folder, name), 30);
}
