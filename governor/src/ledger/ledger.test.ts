import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom, VirtualClock } from "@nest/kit";
import type { Bead } from "@nest/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { agentsWithLedger } from "./agents.ts";
import { Ledger, type LedgerEvent } from "./ledger.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-ledger-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const random = seededRandom(1);
const clock = new VirtualClock();
const open = (actor = "scanner") => Ledger.open({ folder: join(folder, "scanner"), actor, clock, random });
const titles = (beads: readonly Bead[]) => beads.map(({ title }) => title);

test("a bead that was written down is there after the ledger was opened again", async () => {
  const ledger = await open();
  const { id } = await ledger.create({ title: "fix the door", external_ref: "acme/shop#12" });
  await ledger[Symbol.asyncDispose]();
  await using again = await open();
  expect(again.show(id)).toEqual({
    id,
    title: "fix the door",
    type: "task",
    status: "open",
    priority: 2,
    actor: "scanner",
    external_ref: "acme/shop#12",
    metadata: {},
    notes: "",
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
    depends_on: [],
  });
});

test("ready lists what is open and waits for nothing, the most urgent first, then the oldest", async () => {
  await using ledger = await open();
  const late = await ledger.create({ title: "late", priority: 1 });
  await clock.advance(1000);
  await ledger.create({ title: "later", priority: 1 });
  await ledger.create({ title: "urgent", priority: 0, depends_on: [late.id] });
  await ledger.create({ title: "taken", status: "in_progress" });
  await ledger.create({ title: "some day", priority: 4 });
  expect(titles(ledger.ready().beads)).toEqual(["late", "later", "some day"]);
  await ledger.close(late.id);
  expect(titles(ledger.ready().beads)).toEqual(["urgent", "later", "some day"]);
  expect(ledger.ready(1)).toMatchObject({ beads: [{ title: "urgent" }], total: 3 });
  await ledger.reset(late.id);
  expect(titles(ledger.ready().beads)).toEqual(["late", "later", "some day"]);
});

test.each(["done", "closed"] as const)("a bead that is %s lets those go on that depend on it", async (status) => {
  await using ledger = await open();
  const first = await ledger.create({ title: "first", status: "blocked" });
  await ledger.create({ title: "second", depends_on: [first.id] });
  expect(ledger.ready().total).toBe(0);
  expect((await ledger.update(first.id, { status })).closed_at).toBeDefined();
  expect(titles(ledger.ready().beads)).toEqual(["second"]);
});

test("a bead that is opened again is no longer closed", async () => {
  await using ledger = await open();
  const { id } = await ledger.create({ title: "once more" });
  expect((await ledger.close(id, "it was easy")).notes).toBe("it was easy");
  expect((await ledger.reset(id)).closed_at).toBeUndefined();
});

test("a circle of dependencies is refused, however long", async () => {
  await using ledger = await open();
  const [first, second, third] = await Promise.all(["a", "b", "c"].map((title) => ledger.create({ title })));
  if (first === undefined || second === undefined || third === undefined) throw new Error("three were made");
  await ledger.depend(second.id, { add: [first.id] });
  await ledger.depend(third.id, { add: [second.id] });
  await expect(ledger.depend(first.id, { add: [third.id] })).rejects.toMatchObject({ code: "bead_circle" });
  await expect(ledger.depend(first.id, { add: [first.id] })).rejects.toMatchObject({ code: "bead_circle" });
  await ledger.depend(second.id, { remove: [first.id] });
  await ledger.depend(first.id, { add: [third.id] });
  expect(titles(ledger.ready().beads)).toEqual(["b"]);
});

test("of two dependencies that close a circle at the same moment, one is refused", async () => {
  await using mine = await open();
  const [one, other] = [await mine.create({ title: "one" }), await mine.create({ title: "other" })];
  await using theirs = await open("coder");
  const both = await Promise.allSettled([
    mine.depend(one.id, { add: [other.id] }),
    theirs.depend(other.id, { add: [one.id] }),
    mine.depend(other.id, { add: [one.id] }),
  ]);
  expect(both.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(0);
  expect(both.filter(({ status }) => status === "rejected").length).toBeGreaterThan(0);
  await mine.refresh();
  expect(mine.circles()).toEqual([]);
});

test("of two agents that take one bead, one gets it", async () => {
  await using mine = await open();
  const { id } = await mine.create({ title: "to be taken" });
  await using theirs = await open("coder");
  const taken = await Promise.allSettled(
    [mine, theirs].map((ledger) => ledger.update(id, { status: "in_progress" }, ["open"])),
  );
  expect(taken.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(taken.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "bead_changed" } });
});

test.each([
  ["bead_unknown", (ledger: Ledger) => ledger.update("nest-nowhere", { priority: 1 })],
  ["bead_unknown", (ledger: Ledger) => ledger.remember("x", "../../etc/passwd")],
  ["bead_unknown", (ledger: Ledger) => ledger.depend("no id at all", { remove: ["x"] })],
  ["bead_dependency_unknown", (ledger: Ledger) => ledger.create({ title: "x", depends_on: ["nest-nowhere"] })],
  ["bead_invalid", (ledger: Ledger) => ledger.create({ title: "\u0000" })],
  ["bead_invalid", (ledger: Ledger) => ledger.create({ title: "x".repeat(501) })],
  ["bead_invalid", (ledger: Ledger) => ledger.create({ title: "x", priority: 5 })],
  ["bead_invalid", (ledger: Ledger) => ledger.create({ title: "x", metadata: { much: "x".repeat(20_000) } })],
  ["bead_invalid", (ledger: Ledger) => ledger.remember(" \n ")],
  ["import_unreadable", (ledger: Ledger) => ledger.import("no beads")],
])("what cannot be written is refused as %s, and nothing is written", async (code, act) => {
  await using ledger = await open();
  await expect(act(ledger)).rejects.toMatchObject({ code });
  await using again = await open();
  expect([ledger.size, again.size, again.problems.count]).toEqual([0, 0, 0]);
});

test("notes are added to and never replaced by remembering, up to a limit", async () => {
  await using ledger = await open();
  const { id } = await ledger.create({ title: "x", notes: "one" });
  await Promise.all([ledger.remember("two", id), ledger.remember("three", id)]);
  expect(ledger.show(id).notes).toBe("one\ntwo\nthree");
  await ledger.remember("x".repeat(60_000), id);
  await expect(ledger.remember("x".repeat(60_000), id)).rejects.toMatchObject({ code: "bead_too_large" });
  await expect(ledger.remember("x".repeat(600_000), id)).rejects.toMatchObject({ code: "bead_too_large" });
});

test("what is remembered without a bead is an advisory of which nothing is to be done", async () => {
  await using ledger = await open();
  const bead = await ledger.remember("the tests need a database\nstart it first");
  expect(bead).toMatchObject({ type: "advisory", status: "done", title: "the tests need a database…" });
  expect(bead.notes).toContain("start it first");
  expect(ledger.ready().total).toBe(0);
});

test("a list comes page by page, newest first, and a bead that comes meanwhile moves no other", async () => {
  await using ledger = await open();
  for (const title of ["a", "b", "c", "d", "e"]) {
    await ledger.create({ title, type: title === "c" ? "bug" : "task" });
    await clock.advance(10);
  }
  const first = ledger.list({}, { limit: 2 });
  await ledger.create({ title: "f" });
  const second = ledger.list({}, { limit: 2, ...(first.next === undefined ? {} : { cursor: first.next }) });
  const third = ledger.list({}, { limit: 2, ...(second.next === undefined ? {} : { cursor: second.next }) });
  expect([first, second, third].map(({ beads }) => titles(beads))).toEqual([["e", "d"], ["c", "b"], ["a"]]);
  expect(third.next).toBeUndefined();
  expect(titles(ledger.list({ type: ["bug"] }).beads)).toEqual(["c"]);
  expect(titles(ledger.list({ text: "F" }).beads)).toEqual(["f"]);
});

test("whoever listens hears of the changes of other processes", async () => {
  await using mine = await open();
  const heard: LedgerEvent[] = [];
  const stop = mine.onChange((event) => heard.push(event));
  await using theirs = await open("coder");
  const { id } = await theirs.create({ title: "from elsewhere" });
  await mine.refresh();
  stop();
  await mine.create({ title: "not heard of" });
  expect(heard).toMatchObject([{ kind: "bead", op: "create", by: "coder", bead: { id, title: "from elsewhere" } }]);
});

test("whoever follows a ledger hears of other processes' changes by itself, until it stops", async () => {
  await using mine = await open();
  await using theirs = await open("coder");
  const heard: string[] = [];
  mine.onChange((event) => heard.push(event.kind === "bead" ? event.bead.title : event.kind));
  const stop = mine.follow(1000);
  await theirs.create({ title: "one" });
  await clock.advance(1000);
  await expect.poll(() => heard).toEqual(["one"]);
  stop();
  await theirs.create({ title: "two" });
  await clock.advance(5000);
  expect(heard).toEqual(["one"]);
});

test("the agents that have a ledger are the folders with an agent's name", async () => {
  await (await open())[Symbol.asyncDispose]();
  for (const name of ["coder", ".hidden", "two words"]) await mkdir(join(folder, name));
  await writeFile(join(folder, "a-file"), "");
  await symlink("/etc", join(folder, "a-link"));
  expect(await agentsWithLedger(folder)).toEqual(["coder", "scanner"]);
  expect(await agentsWithLedger(join(folder, "nowhere"))).toEqual([]);
});

test("a snapshot keeps everything, and what is written after it, in every process that has the ledger open", async () => {
  await using mine = await open();
  await using theirs = await open("coder");
  const ids: string[] = [];
  for (let turn = 0; turn < 5; turn += 1) {
    ids.push((await mine.create({ title: `mine ${turn}` })).id, (await theirs.create({ title: `theirs ${turn}` })).id);
    await (turn % 2 === 0 ? mine : theirs).compact();
  }
  ids.push((await theirs.create({ title: "last", depends_on: ids })).id);
  await mine.refresh();
  await using again = await open();
  for (const ledger of [mine, theirs, again]) {
    expect(ledger.size).toBe(ids.length);
    for (const id of ids) expect(ledger.show(id).id).toBe(id);
  }
});

test("processes that compact at the same moment lose nothing", async () => {
  const ledgers = await Promise.all(Array.from({ length: 4 }, () => open()));
  const ids = await Promise.all(
    ledgers.flatMap((ledger, at) => [
      ledger.create({ title: `before ${at}` }).then(({ id }) => id),
      ledger.compact().then(() => undefined),
      ledger.create({ title: `after ${at}` }).then(({ id }) => id),
    ]),
  );
  await using again = await open();
  for (const id of ids) if (id !== undefined) expect(again.show(id).id).toBe(id);
  expect(again.size).toBe(8);
  await Promise.all(ledgers.map((ledger) => ledger[Symbol.asyncDispose]()));
});

test("a ledger whose files were replaced while it was open goes on with what is there, and says so", async () => {
  await using ledger = await open();
  await ledger.create({ title: "in the removed files" });
  const heard: string[] = [];
  ledger.onChange(({ kind }) => heard.push(kind));
  await rm(join(folder, "scanner"), { recursive: true });
  const { id } = await ledger.create({ title: "after it" });
  expect([ledger.size, ledger.show(id).title]).toEqual([1, "after it"]);
  expect(heard).toContain("reload");
  await using again = await open();
  expect(again.show(id).title).toBe("after it");
});
