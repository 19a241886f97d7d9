import { expect, test } from "vitest";
import { readWords, unreadRepos } from "./repos-read.ts";

const NOW = Date.UTC(2026, 0, 1, 12);
const aRepo = (repo: string, minutesAgo?: number, error?: string) => ({
  repo,
  issues: 1,
  pull_requests: 0,
  ...(minutesAgo === undefined ? {} : { read_at: new Date(NOW - minutesAgo * 60_000).toISOString() }),
  ...(error === undefined ? {} : { error }),
});

test.each([
  ["the one read longest ago counts", [aRepo("a", 2), aRepo("b", 40, "refused")], "40 min ago"],
  ["one that was never read is said", [aRepo("a", 2), aRepo("b")], "1 of 2, 2 min ago"],
  ["none was read", [aRepo("a", undefined, "refused")], "not yet"],
])("when repositories were read: %s", (_, repos, words) => {
  expect(readWords(repos, NOW)).toBe(words);
});

test("old issues are called old, and by how much", () => {
  expect(unreadRepos([aRepo("a", 2), aRepo("b", 40, "refused"), aRepo("c", undefined, "gone")], NOW)).toEqual([
    { repo: "b", because: "refused", shown: "What is shown of it is 40 min old." },
    { repo: "c", because: "gone", shown: "It was never read: its issues are not shown." },
  ]);
});
