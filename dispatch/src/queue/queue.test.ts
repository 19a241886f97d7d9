import { TimeSlicer } from "@nest/kit";
import { durations } from "@nest/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Ledger } from "../leases/ledger.ts";
import { compileFilters } from "./filters.ts";
import { PatternJudge } from "./pattern-judge.ts";
import { ORDER_SETTING } from "./pinned-order.ts";
import { Queue } from "./queue.ts";

function aQueue(): Queue {
  return aQueueWithLedger().queue;
}

function aQueueWithLedger() {
  const past = { assignedAt: () => undefined, isCounted: () => false };
  const rows = { leases: [], items: [], contributors: [], gen: 0, activityId: 0, settings: new Map() };
  const ledger = new Ledger(rows, past);
  return { ledger, queue: new Queue({ ledger, times: durations }) };
}

function anIssue(repo: string, number: number, title = "") {
  return { repo, number, title, body: "", url: "", author: "someone", labels: [], updatedAt: 0 };
}

function denying(judge: PatternJudge, ...titles: string[]) {
  const off = { disabled_repos: [], contribute_deny_labels: [], contribute_deny_authors: [] };
  return compileFilters({ ...off, contribute_labels_mode: "deny", contribute_deny_titles: titles }, judge);
}

test("every issue on offer is offered: all of the repository whose turn it is, then those of the others in their turns", () => {
  const queue = aQueue();
  for (const repo of ["a/x", "a/y", "a/z"]) queue.setIssues(repo, [anIssue(repo, 2), anIssue(repo, 1)], 0);
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

test("the place of every issue is its number in the order, and every page a part of it, whatever was put in front and whoever was served", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 5 }),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 1, max: 13 })), { maxLength: 8 }),
      fc.nat(6),
      (sizes, front, served) => {
        const { queue, ledger } = aQueueWithLedger();
        for (const [at, size] of sizes.entries()) {
          const numbers = Array.from({ length: size }, (_, nth) => nth + 1);
          queue.setIssues(
            `a/r${at}`,
            numbers.map((number) => anIssue(`a/r${at}`, number)),
            0,
          );
        }
        ledger.putSetting(
          ORDER_SETTING,
          front.map(([repo, number]) => `a/r${repo}#${number}`),
        );
        const asker = { connection: "conn-1-1", contributorId: "c", identity: "c" };
        for (let nth = 0; nth < served; nth += 1) queue.offer(asker, 0).next();
        const keys = queue.inOrder().map(({ key }) => key);
        expect(keys.map((key) => queue.placeOf(key))).toEqual(keys.map((_, at) => at + 1));
        expect(queue.placeOf("a/r0#99")).toBeUndefined();
        for (const isSeen of [() => true, (repo: string) => repo !== "a/r1"]) {
          const seen = queue.inOrder().filter(({ repo }) => isSeen(repo));
          for (let from = 0; from <= seen.length; from += 1) {
            const { entries, total, hidden } = queue.pageInOrder({ from, limit: 3 }, isSeen);
            expect(entries).toEqual(seen.slice(from, from + 3));
            expect([total, hidden]).toEqual([seen.length, keys.length - seen.length]);
          }
        }
      },
    ),
  );
});

test("issues that arrive and issues that are there are offered only when the filters in force were held against them", async () => {
  await using judge = new PatternJudge();
  const queue = aQueue();
  const offered = new Set<string>();
  queue.whenOffered(() => {
    for (const { title } of queue.inOrder()) offered.add(title);
  });
  queue.setFilter(denying(judge, "/^wip/"), 0);
  const issues = Array.from({ length: 100 }, (_, at) => anIssue("a/x", at + 1, at % 2 === 0 ? "WIP" : "ready"));
  const reading = queue.readIssues("a/x", issues, new TimeSlicer(), () => 0);
  // The filters change while the first issues are with the thread.
  await new Promise(setImmediate);
  await Promise.all([reading, queue.refilter(denying(judge, "/^ready$/"), new TimeSlicer(), () => 0)]);
  expect([queue.actionable, ...offered]).toEqual([50, "WIP"]);
  await queue.refilter(denying(judge, "/^wip/", "/^ready$/"), new TimeSlicer(), () => 0);
  expect(queue.withheldCounts()).toEqual({ title_filter: 100 });
});

test("an issue that cannot be judged is withheld, and tried again when filters are applied anew", async () => {
  const ended = new PatternJudge();
  await ended.close();
  await using judge = new PatternJudge();
  const queue = aQueue();
  queue.setFilter(denying(ended, "/^wip/"), 0);
  await queue.readIssues("a/x", [anIssue("a/x", 1, "ready")], new TimeSlicer(), () => 0);
  expect(queue.entry("a/x#1")?.withheld?.reason).toBe("title_filter");
  await queue.refilter(denying(judge, "/^wip/"), new TimeSlicer(), () => 0);
  expect(queue.actionable).toBe(1);
});
