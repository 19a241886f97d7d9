import { durations } from "@nest/protocol";
import { expect, test } from "vitest";
import { Ledger } from "../leases/ledger.ts";
import { Queue } from "./queue.ts";

test("every issue on offer is offered: all of the repository whose turn it is, then those of the others in their turns", () => {
  const past = { assignedAt: () => undefined, isCounted: () => false };
  const rows = { leases: [], items: [], contributors: [], gen: 0, activityId: 0, settings: new Map() };
  const queue = new Queue({ ledger: new Ledger(rows, past), times: durations });
  const issue = (repo: string, number: number) => {
    const of = { title: "", body: "", url: "", author: "someone", labels: [], updatedAt: 0 };
    return { repo, number, ...of };
  };
  for (const repo of ["a/x", "a/y", "a/z"]) queue.setIssues(repo, [issue(repo, 2), issue(repo, 1)], 0);
  queue.open();
  const asker = { connection: "conn-1-1", contributorId: "c", identity: "c" };
  const firstOf = () => [...queue.offer(asker, 0)][0]?.key;
  const [taken] = queue.offer(asker, 0);
  expect(taken?.key).toBe("a/x#1");
  expect([...queue.offer(asker, 0)].map(({ key }) => key)).toEqual([
    "a/y#1",
    "a/y#2",
    "a/z#1",
    "a/z#2",
    "a/x#1",
    "a/x#2",
  ]);
  expect(firstOf()).toBe("a/y#1");
});
