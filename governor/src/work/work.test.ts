import { CodeHostMemory, type Issue } from "@nest/codehost";
import { NestError, silentLog, VirtualClock } from "@nest/kit";
import { describe, expect, test } from "vitest";
import { recordAfter, retryAt } from "./issue-history.ts";
import { type JudgeFacts, judgeBy } from "./judge.ts";
import { issueFor, judgeAll } from "./queue.ts";
import { Scanner } from "./scan.ts";

const NOW = Date.UTC(2026, 10, 22, 12);
const rules = {
  holdLabels: ["hold", "on-hold"],
  exemptLabels: ["do-not-merge"],
  denyAuthors: ["*[bot]", "renovate"],
  denyTitles: ["dependency dashboard", "wip*secret"],
};
const facts: JudgeFacts = {
  claimed: new Set(),
  inProgress: new Set(),
  blocked: new Set(),
  history: {},
  now: NOW,
};
const anIssue = (more: Partial<Issue> = {}): Issue => ({
  repo: "acme/web",
  number: 7,
  title: "Crash at start",
  body: "",
  url: "https://example.test/acme/web/issues/7",
  state: "open",
  author: "bob",
  labels: [],
  assignees: [],
  createdAt: NOW - 9 * 86_400_000,
  updatedAt: NOW - 8 * 86_400_000,
  ...more,
});
const reasonOf = (issue: Partial<Issue>, more: Partial<JudgeFacts> = {}) =>
  judgeBy(rules)(anIssue(issue), { ...facts, ...more })?.reason;

test.each<[string, Partial<Issue>, Partial<JudgeFacts>, string | undefined]>([
  ["is plain", {}, {}, undefined],
  ["has a hold label, whatever its case", { labels: ["Hold"] }, {}, "held"],
  ["has an exempt label", { labels: ["do-not-merge", "hold"] }, {}, "exempt_label"],
  ["is by a bot", { author: "deps[bot]" }, {}, "author_filter"],
  ["is by somebody whose name begins like a denied one", { author: "renovated" }, {}, undefined],
  ["has a denied title in it", { title: "The Dependency Dashboard of ours" }, {}, "title_filter"],
  ["has the pieces of a denied title in order", { title: "WIP: a very secret plan" }, {}, "title_filter"],
  ["has them in another order", { title: "secret WIP" }, {}, undefined],
  ["is an epic", { title: "Epic: everything" }, {}, "tracker"],
  ["is a checklist of issues", { body: "- [ ] #1\n- [x] #2\n- [ ] see #3\n" }, {}, "tracker"],
  ["is assigned", { assignees: ["ada"] }, {}, "assigned"],
  ["is worked on", {}, { inProgress: new Set(["acme/web#7"]) }, "in_progress"],
  ["is claimed by a pull request", {}, { claimed: new Set(["acme/web#7"]) }, "claimed"],
  ["comes after something else in the ledger", {}, { blocked: new Set(["acme/web#7"]) }, "blocked"],
])("an issue that %s", (_what, issue, more, expected) => {
  expect(reasonOf(issue, more)).toBe(expected);
});

describe("an issue that agents tried", () => {
  const tried = (outcome: "shipped" | "no_work_needed" | "blocked" | "failed", endedAt: number, failures = 1) => ({
    history: { "acme/web#7": { agent: "scanner", outcome, endedAt, failures } },
  });

  test("waits 10 minutes after a failure, twice as long after each further one, and never more than a day", () => {
    expect(reasonOf({}, tried("failed", NOW - 5 * 60_000))).toBe("failed_lately");
    expect(reasonOf({}, tried("failed", NOW - 11 * 60_000))).toBeUndefined();
    expect(reasonOf({}, tried("failed", NOW - 11 * 60_000, 2))).toBe("failed_lately");
    expect(retryAt({ agent: "a", outcome: "failed", endedAt: NOW, failures: 40 })).toBe(NOW + 86_400_000);
  });

  test("rests when there was nothing to do, until somebody changes it", () => {
    expect(reasonOf({}, tried("no_work_needed", NOW))).toBe("done");
    expect(reasonOf({ updatedAt: NOW + 60_000 }, tried("no_work_needed", NOW))).toBe("done");
    expect(reasonOf({ updatedAt: NOW + 10 * 60_000 }, tried("no_work_needed", NOW))).toBeUndefined();
    expect(reasonOf({}, tried("blocked", NOW))).toBe("blocked");
  });

  test("comes back a day after its pull request was opened, when none is open any more", () => {
    expect(reasonOf({}, tried("shipped", NOW - 3_600_000))).toBe("done");
    expect(reasonOf({}, tried("shipped", NOW - 25 * 3_600_000))).toBeUndefined();
  });

  test("is not judged by a run that somebody stopped", () => {
    const before = recordAfter(undefined, { agent: "a", outcome: "failed", endedAt: 1 });
    expect(recordAfter(before, { agent: "a", outcome: "stopped", endedAt: 2 })).toEqual(before);
    expect(recordAfter(before, { agent: "a", outcome: "looped", endedAt: 2 })?.failures).toBe(2);
    expect(recordAfter(before, { agent: "a", outcome: "finished", endedAt: 2 })?.failures).toBe(0);
  });
});

test("an agent gets the oldest issue of its repositories and labels", () => {
  const issues = [
    anIssue({ number: 1, createdAt: 3 }),
    anIssue({ number: 2, createdAt: 1, labels: ["Docs"] }),
    anIssue({ number: 3, createdAt: 2, repo: "acme/api" }),
  ];
  const scanned = { repo: "acme/web", issues, pullRequests: [], readAt: 1, error: undefined };
  const { actionable } = judgeAll([scanned], judgeBy(rules), facts);
  const of = (repos: string[], labels: string[]) => issueFor({ repos, labels }, actionable)?.issue.number;
  expect(of([], [])).toBe(2);
  expect(of(["Acme/API"], [])).toBe(3);
  expect(of([], ["docs"])).toBe(2);
  expect(of(["acme/api"], ["docs"])).toBeUndefined();
});

describe("the scanner", () => {
  const scannerOf = (codeHost: CodeHostMemory) =>
    new Scanner({
      codeHost,
      because: undefined,
      clock: new VirtualClock(),
      log: silentLog(),
      webBase: "https://github.com",
    });

  test("keeps what it read of a code host that fails, and says why", async () => {
    const codeHost = new CodeHostMemory();
    codeHost.setIssue({ repo: "acme/web", number: 1 });
    const scanner = scannerOf(codeHost);
    await scanner.scan(["acme/web"]);
    expect(scanner.repos[0]).toMatchObject({ repo: "acme/web", error: undefined });
    codeHost.failure = new NestError("codehost_unreachable", "the code host cannot be reached");
    await scanner.scan(["acme/web", "acme/api"]);
    expect(scanner.repos.map(({ issues, error }) => [issues.length, error])).toEqual([
      [1, "the code host cannot be reached"],
      [0, "the code host cannot be reached"],
    ]);
    expect(scanner.repos[1]?.readAt).toBeUndefined();
  });

  test("forgets repositories that are not monitored any more", async () => {
    const codeHost = new CodeHostMemory();
    codeHost.setIssue({ repo: "acme/web", number: 1 });
    codeHost.setIssue({ repo: "acme/api", number: 1 });
    const scanner = scannerOf(codeHost);
    await scanner.scan(["acme/web", "acme/api"]);
    await scanner.scan(["acme/api"]);
    expect(scanner.repos.map(({ repo }) => repo)).toEqual(["acme/api"]);
  });

  test("knows the issues that open pull requests claim, however their names are spelled", async () => {
    const codeHost = new CodeHostMemory();
    codeHost.setPullRequest({ repo: "acme/web", number: 9, body: "Fixes #7 and closes ACME/Api#3" });
    const scanner = scannerOf(codeHost);
    await scanner.scan(["acme/web"]);
    expect([...scanner.claimed()]).toEqual(["acme/web#7", "acme/api#3"]);
    expect(scanner.claimed()).toBe(scanner.claimed());
  });
});
