import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pages } from "@nest/protocol";
import { expect, test } from "vitest";
import { pageSources } from "./page-sources.ts";

const web = join(import.meta.dirname, "../../../web");

test("every page of the nest's app has its source, and it is the one that the app's router imports for that address", () => {
  const routes = readFileSync(join(web, "src/spoke/routes.tsx"), "utf8");
  expect(Object.keys(pageSources).toSorted()).toEqual(pages.nestApp.map(({ path }) => path).toSorted());
  for (const source of Object.values(pageSources)) {
    expect([source, existsSync(join(web, source))]).toEqual([source, true]);
    expect(routes).toContain(`import("./${source.replace("src/spoke/", "")}")`);
  }
});
