import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { appendAudit, readAudit } from "./audit.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-audit-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const aLine = (nth: number, at = new Date(Date.UTC(2026, 0, 1, 0, 0, nth)).toISOString()) => ({
  at,
  actor: nth % 2 === 0 ? "ada" : "ben",
  action: "agent paused",
  subject: `agent-${nth}`,
});

async function subjectsOf(query: { limit: number; actor?: string }): Promise<string[]> {
  const subjects: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await readAudit(folder, { ...query, cursor });
    subjects.push(...page.entries.map(({ subject = "" }) => subject));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return subjects;
}

test("the audit is read newest first, page by page, each entry once, also those of one moment", async () => {
  const moment = "2026-01-01T00:00:00.000Z";
  for (let nth = 0; nth < 7; nth += 1) await appendAudit(folder, aLine(nth, nth < 4 ? moment : undefined));
  const newestFirst = [6, 5, 4, 3, 2, 1, 0].map((nth) => `agent-${nth}`);
  expect(await subjectsOf({ limit: 2 })).toEqual(newestFirst);
  expect(await subjectsOf({ limit: 3, actor: "ada" })).toEqual(["agent-6", "agent-4", "agent-2", "agent-0"]);
});

test("an entry that comes between two pages moves none of the second", async () => {
  for (let nth = 0; nth < 4; nth += 1) await appendAudit(folder, aLine(nth));
  const { next_cursor: cursor } = await readAudit(folder, { limit: 2 });
  await appendAudit(folder, aLine(9));
  const { entries } = await readAudit(folder, { limit: 2, cursor });
  expect(entries.map(({ subject }) => subject)).toEqual(["agent-1", "agent-0"]);
});

test("a full file becomes the second of three, and the oldest goes", async () => {
  const full = `${JSON.stringify({ ...aLine(1), after: "x".repeat(5 * 1024 * 1024) })}\n`;
  for (const nth of [2, 3, 4]) {
    await writeFile(join(folder, "audit.jsonl"), full);
    await Promise.all([appendAudit(folder, aLine(nth)), appendAudit(folder, aLine(nth + 10))]);
  }
  expect((await readdir(folder)).sort()).toEqual(["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2"]);
  expect((await subjectsOf({ limit: 10 })).slice(0, 2)).toEqual(["agent-14", "agent-4"]);
});

test("half a line at the end, as a crash leaves it, hides no other", async () => {
  await writeFile(join(folder, "audit.jsonl"), `${JSON.stringify(aLine(1))}\n{"at":"2026-`);
  expect(await subjectsOf({ limit: 10 })).toEqual(["agent-1"]);
});
