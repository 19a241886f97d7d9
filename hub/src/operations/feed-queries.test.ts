import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "@nest/dispatch";
import { expect, test } from "vitest";
import { ACTIVITY, ACTIVITY_OF_TASK, ATTEMPTS, TASK } from "./feed-queries.ts";

test.each([
  ["a task", TASK, ["SEARCH tasks USING INTEGER PRIMARY KEY (rowid=?)"]],
  [
    "what happened to a task",
    ACTIVITY_OF_TASK,
    ["activity_of_task (task_gen=?)", "SEARCH tasks USING INTEGER PRIMARY KEY"],
  ],
  ["the attempts at an issue", ATTEMPTS, ["SEARCH tasks USING INDEX tasks_of_issue (item_key=?)"]],
  ["a page of the feed", ACTIVITY, ["SEARCH activity USING INTEGER PRIMARY KEY (rowid<?)"]],
])("%s is found by index and sorts nothing, however long the history", async (_what, sql, steps) => {
  const folder = mkdtempSync(join(tmpdir(), "nest-plan-"));
  const database = openSqlite(join(folder, "hub.sqlite"));
  const plan = database.sqlite
    .prepare(`explain query plan ${sql}`)
    .all()
    .map(({ detail }) => String(detail))
    .join("\n");
  await database.close();
  rmSync(folder, { recursive: true });
  for (const step of steps) expect(plan).toContain(step);
  expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
});
