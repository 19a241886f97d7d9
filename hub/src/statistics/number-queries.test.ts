import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite, type Reader } from "@nest/dispatch";
import { expect, test } from "vitest";
import {
  countsByContributor,
  countsByRepository,
  countsOverTime,
  type NumberQuery,
  queueOverTime,
} from "./number-queries.ts";

const settled = { sealed: 20_000 * 24, pending: new Set<number>() };
const days = { grain: "day", from: 19_900 } as const;

/** How SQLite finds the rows of everything that a question asks. */
async function plansOf(query: NumberQuery): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "nest-plans-"));
  const database = openSqlite(join(folder, "hub.sqlite"));
  const plans: string[] = [];
  const reader: Reader = {
    async all(sql, ...values) {
      const steps = await database.reader.all(`explain query plan ${sql}`, ...values);
      plans.push(...steps.map(({ detail }) => String(detail)).filter((detail) => /^(SEARCH|SCAN)/.test(detail)));
      return database.reader.all(sql, ...values);
    },
  };
  await countsOverTime(reader, query, settled);
  await countsByRepository(reader, query, settled);
  await countsByContributor(reader, query, settled);
  await queueOverTime(reader, query);
  await database.close();
  await rm(folder, { recursive: true });
  return plans;
}

test.each<[string, NumberQuery]>([
  ["everything", days],
  ["a repository", { ...days, repo: "acme/one" }],
  ["a contributor", { ...days, contributorId: "c-1" }],
  ["a backend", { ...days, backend: "claude" }],
  ["a contributor in a repository", { ...days, repo: "acme/one", contributorId: "c-1" }],
  ["a week by the hour", { grain: "hour", from: 480_000, contributorId: "c-1" }],
])("no question looks at every row: %s", async (_, query) => {
  const plans = await plansOf(query);
  expect(plans.length).toBeGreaterThan(3);
  expect(plans.filter((plan) => plan.startsWith("SCAN"))).toEqual([]);
  // Rows of contributors in repositories are the many: they are found by the repository and the time, or by the contributor.
  if (query.contributorId !== undefined)
    expect(plans.filter((plan) => /PRIMARY KEY \(level=\?\)$/.test(plan))).toEqual([]);
});
