import type { Entry } from "@nest/dispatch";
import { expect, test } from "vitest";
import { facetsOf } from "./issue-filter.ts";

const anIssue = (author: string) => ({ repo: "acme/one", issue: { author, labels: [] } }) as unknown as Entry;

test("of very many authors the most frequent are told, equal ones by name, a step a value", () => {
  const entries = Array.from({ length: 5000 }, (_, nth) => anIssue(`author-${String(nth).padStart(4, "0")}`));
  entries.push(anIssue("author-0900"), anIssue("author-4000"), anIssue("author-4000"));
  const steps = facetsOf(entries);
  let [count, step] = [0, steps.next()];
  for (; step.done !== true; step = steps.next()) count += 1;
  const { author, repo } = step.value;
  expect(author.slice(0, 3)).toEqual([
    { name: "author-4000", count: 3 },
    { name: "author-0900", count: 2 },
    { name: "author-0000", count: 1 },
  ]);
  expect([author.length, repo]).toEqual([50, [{ name: "acme/one", count: 5003 }]]);
  expect(count).toBeGreaterThan(10_000);
});
