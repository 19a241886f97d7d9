import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pages } from "@nest/protocol";
import { expect, test } from "vitest";
import { asksOf, pageSources } from "./app-page-needs.ts";

const web = join(import.meta.dirname, "../../../web");

test("every page of the app has its source, and it is the one that the app's router imports for that address", () => {
  const routes = readFileSync(join(web, "src/hub/routes.tsx"), "utf8");
  expect(Object.keys(pageSources).toSorted()).toEqual(pages.app.map(({ path }) => path).toSorted());
  for (const source of Object.values(pageSources)) {
    expect([source, existsSync(join(web, source))]).toEqual([source, true]);
    expect(routes).toContain(`import("./${source.replace("src/hub/", "")}")`);
  }
});

test("the page of a task asks for the task while its scripts are fetched; no page asks for what an address makes up", () => {
  expect(asksOf("/tasks/task-01")).toEqual(["/api/auth/user", "/api/contribute/tasks/task-01"]);
  expect(asksOf("/operations")).toEqual(["/api/auth/user"]);
  expect(asksOf("/tasks/..%2f..%2fapi")).toEqual(["/api/auth/user"]);
});
