import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { Ledger } from "@nest/governor";
import { systemClock, systemRandom } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FolderHere } from "../harness/folder-here.ts";
import { ProcessHere } from "../harness/process-here.ts";

// An agent may write whatever it likes into the folder of its own ledger. The dashboard reads that folder, and goes on.

const LOG = "log-00000001.jsonl";
const AT = "2026-01-01T00:00:00.000Z";
let folder: FolderHere;
beforeEach(async () => {
  folder = await FolderHere.make("ledger-author");
  await mkdir(folder.in("scanner"));
});
afterEach(() => folder[Symbol.asyncDispose]());

const openLedger = () =>
  Ledger.open({ folder: folder.in("scanner"), actor: "dashboard", clock: systemClock(), random: systemRandom() });

/** A line as docs/ledger.md describes it, made without the product's help. */
function line(record: object): string {
  const rest = JSON.stringify(record).slice(1);
  return `{"crc":"${crc32(rest).toString(16).padStart(8, "0")}",${rest}\n`;
}

let made = 0;
function create(bead: object): string {
  made += 1;
  const whole = { title: "x", type: "task", status: "open", priority: 2, actor: "", metadata: {}, notes: "" };
  const times = { created_at: AT, updated_at: AT, depends_on: [] };
  return line({
    op: "create",
    n: name(),
    at: AT,
    by: "scanner",
    bead: { id: `b-${made}`, ...whole, ...times, ...bead },
  });
}

function name(): string {
  return randomBytes(8).toString("hex");
}

const writeLog = (content: string | Uint8Array) => writeFile(folder.in("scanner", LOG), content);

test.each([
  ["random bytes", () => randomBytes(3_000_000)],
  ["one line of 5 MB", () => Buffer.alloc(5_000_000, "x")],
  ["a whole line of 2 MB", () => Buffer.from(create({ id: "huge", notes: "x".repeat(2_000_000) }))],
  ["zeros", () => Buffer.alloc(1_000_000)],
  ["brackets, ten thousand deep", () => Buffer.from(`${"[".repeat(10_000)}\n${'{"a":'.repeat(10_000)}\n`)],
  ["half a line", () => Buffer.from(create({ id: "half" }).slice(0, 90))],
  ["a line that was changed", () => Buffer.from(create({ id: "changed" }).replace('"x"', '"y"'))],
])("beads before and after %s are read, and what is bad is told of", async (_, garbage) => {
  const parts = [create({ id: "before" }), garbage(), "\n", create({ id: "after" })];
  await writeLog(Buffer.concat(parts.map((part) => Buffer.from(part))));
  await using ledger = await openLedger();
  expect(ledger.list().beads.map(({ id }) => id)).toEqual(["after", "before"]);
  expect(ledger.problems.count).toBeGreaterThan(0);
  expect(ledger.problems.first.length).toBeLessThanOrEqual(100);
  await ledger.create({ title: "the ledger goes on" });
  expect(ledger.size).toBe(3);
});

test.each([
  ["an op that there is not", { op: "drop_everything" }],
  ["an id that is a path", { op: "note", id: "../../etc/passwd", text: "x" }],
  ["a bead without times", { op: "create", bead: { id: "x", title: "x" } }],
  ["a priority of ten million", { op: "change", id: "good", set: { priority: 10_000_000 } }],
  ["a change of an id", { op: "change", id: "nowhere", set: { id: "other" } }],
  ["an end that names a file elsewhere", { op: "seal", next: "../../../etc/passwd" }],
  ["an end that names its own log", { op: "seal", next: LOG }],
  ["an end that leaves generations out", { op: "seal", next: "log-00000007-0123456789abcdef.jsonl" }],
])("%s changes nothing, though its line is whole", async (_, record) => {
  await writeLog(
    create({ id: "good" }) + line({ n: name(), at: AT, by: "scanner", ...record }) + create({ id: "too" }),
  );
  await using ledger = await openLedger();
  expect(ledger.list().beads.map(({ id, priority }) => [id, priority])).toEqual([
    ["good", 2],
    ["too", 2],
  ]);
});

test("metadata that names __proto__ or constructor is data and changes no object", async () => {
  const whole = JSON.parse(create({ id: "b" }).slice(0, -1)) as { bead: object };
  const text = JSON.stringify({ ...whole, crc: undefined }).replace(
    '"metadata":{}',
    '"metadata":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
  );
  await writeLog(`{"crc":"${crc32(text.slice(1)).toString(16).padStart(8, "0")}",${text.slice(1)}\n`);
  await using ledger = await openLedger();
  await ledger.remember("a note", "b");
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
  expect([...ledger.export()].join("")).toContain("a note");
});

test("a file of 1 GB is refused without being read", async () => {
  const file = await open(folder.in("scanner", LOG), "w");
  await file.truncate(1024 * 1024 * 1024);
  await file.close();
  await expect(openLedger()).rejects.toMatchObject({ code: "ledger_too_large" });
});

test("a log that became too large while it was open is refused, and what was read stays", async () => {
  await using ledger = await openLedger();
  await ledger.create({ title: "before" });
  const file = await open(folder.in("scanner", LOG), "r+");
  await file.truncate(1024 * 1024 * 1024);
  await file.close();
  await expect(ledger.refresh()).rejects.toMatchObject({ code: "ledger_too_large" });
  await expect(ledger.create({ title: "after" })).rejects.toMatchObject({ code: "ledger_too_large" });
  expect(ledger.size).toBe(1);
});

test.each([
  ["a link to somebody's file", (path: string, secret: string) => symlink(secret, path)],
  ["a link that leads nowhere", (path: string) => symlink("/nowhere/at/all", path)],
  ["a folder", (path: string) => mkdir(path)],
  ["a pipe", async (path: string) => void execFileSync("mkfifo", [path])],
])("%s in place of the log is refused and left alone", async (_, put) => {
  const secret = folder.in("secret");
  await writeFile(secret, "a secret\n");
  await put(folder.in("scanner", LOG), secret);
  await expect(openLedger()).rejects.toMatchObject({ code: "ledger_unreadable" });
  expect(await readFile(secret, "utf8")).toBe("a secret\n");
});

test("a pipe in place of a snapshot keeps nobody waiting", async () => {
  await writeLog(create({ id: "good" }));
  execFileSync("mkfifo", [folder.in("scanner", "snapshot-00000009-0123456789abcdef.000.jsonl")]);
  await using ledger = await openLedger();
  expect(ledger.list().beads.map(({ id }) => id)).toEqual(["good"]);
});

test("a link in place of the whole folder is refused", async () => {
  await rm(folder.in("scanner"), { recursive: true });
  await mkdir(folder.in("elsewhere"));
  await symlink(folder.in("elsewhere"), folder.in("scanner"));
  await expect(openLedger()).rejects.toMatchObject({ code: "ledger_unreadable" });
});

test.each([
  ["promises parts that are not there", { log: "log-00000009-0123456789abcdef.jsonl", parts: 999, beads: 7 }],
  ["names another log than its own", { log: LOG, parts: 0, beads: 0 }],
  ["is of a later version", { version: 2, log: "log-00000009-0123456789abcdef.jsonl", parts: 0, beads: 0 }],
])("a forged snapshot that %s is told of, and the beads come from the log", async (_, head) => {
  await writeLog(create({ id: "good" }));
  const forged = line({ op: "snapshot", version: 1, depend_tip: "", ...head });
  await writeFile(folder.in("scanner", "snapshot-00000009-0123456789abcdef.000.jsonl"), forged);
  await using ledger = await openLedger();
  expect(ledger.list().beads.map(({ id }) => id)).toEqual(["good"]);
  expect(ledger.problems.first).toMatchObject([{ because: "incomplete_snapshot" }]);
});

test("beads over the limit are left out, and the ledger says that it is full", async () => {
  const lines = Array.from({ length: 200_500 }, () => create({}));
  await writeLog(lines.join(""));
  await using ledger = await openLedger();
  expect(ledger.size).toBe(200_000);
  await expect(ledger.create({ title: "one more" })).rejects.toMatchObject({ code: "ledger_full" });
});

test("30,000 beads that wait for one that is closed and opened 30,000 times are read in time", async () => {
  const waiting = Array.from({ length: 30_000 }, () => create({ depends_on: ["hub"] }));
  const flips = Array.from({ length: 30_000 }, (_, at) =>
    line({ op: "change", n: name(), at: AT, by: "s", id: "hub", set: { status: at % 2 === 0 ? "closed" : "open" } }),
  );
  await using ledger = await openLedger();
  await ledger.create({ title: "asked before", type: "chore" });
  ledger.ready();
  const file = await open(folder.in("scanner", LOG), "a");
  await file.writeFile(`${create({ id: "hub" })}${waiting.join("")}${flips.join("")}`);
  await file.close();
  await ledger.refresh();
  expect(ledger.ready().total).toBe(2);
});

test("what a title holds cannot move the cursor of whoever lists it", async () => {
  await writeLog(
    create({ id: "evil", title: "\u001b[2J\u001b]0;owned\u0007\r\nnest-1 P0 forged", notes: "\u001b[31mred" }),
  );
  for (const args of [["list"], ["show", "evil"], ["ready"]]) {
    await using command = new ProcessHere("nest", ["beads", ...args], {
      NEST_BEADS_DIR: folder.path,
      NEST_AGENT_NAME: "scanner",
    });
    expect((await command.ended).code).toBe(0);
    expect(command.output).toContain("evil");
    expect(command.output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
    expect(command.output).not.toMatch(/^nest-1/m);
  }
});
