import { readFileSync } from "node:fs";
import { stream } from "@nest/protocol";
import { describe, expect, test } from "vitest";
import { addToFeed, duration, repositoryState, safeHref, tell, withheldWords, workState } from "./live-words.ts";

const anEntry = (changes: object = {}) => ({
  id: 1,
  timestamp: "2026-01-01T00:00:00Z",
  username: "ada",
  action: "picked up",
  ...changes,
});

describe("the feed", () => {
  test("an entry about a pull request links to it, and one about an issue to the issue", () => {
    const pull = tell(anEntry({ action: "completed", url: "https://code.test/acme/site/pull/12" }));
    expect(pull).toMatchObject({
      before: "opened a pull request for",
      link: { href: "https://code.test/acme/site/pull/12", text: "pull request #12" },
    });
    const issue = tell(anEntry({ action: "completed", url: "https://code.test/acme/site/issues/3" }));
    expect(issue).toMatchObject({ before: "finished", link: { text: "issue" } });
  });

  test("each entry is kept once, newest first, up to the limit", () => {
    const feed = addToFeed([anEntry({ id: 2 }), anEntry({ id: 1 })], [anEntry({ id: 3 }), anEntry({ id: 2 })], 2);
    expect(feed.map((entry) => entry.id)).toEqual([3, 2]);
  });
});

test.each([
  ["https://code.test/a", "https://code.test/a"],
  ["http://code.test", "http://code.test/"],
  ["javascript:alert(1)", undefined],
  ["data:text/html,x", undefined],
  ["//code.test", undefined],
  ["https://", undefined],
  [undefined, undefined],
])("the address %s leads to %s", (url, href) => {
  expect(safeHref(url)).toBe(href);
});

test.each([
  [-5, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [3_600_000, "1 h"],
  [7_500_000, "2 h 5 min"],
  [3 * 86_400_000, "3 d"],
])("%i ms reads %s", (ms, words) => {
  expect(duration(ms)).toBe(words);
});

test("one open issue is singular", () => {
  expect(repositoryState("ready", 1)).toBe("1 open issue");
});

test("a task whose relay is away says that it is kept", () => {
  expect(workState("away")).toBe("relay away, task kept");
});

test("what is withheld is told, most first", () => {
  expect(withheldWords({ claimed: 2, leased: 0, next_years: 5 })).toBe("5 next years, 2 claimed by a pull request");
});

test("the public page calls the hub silent after the same time as the app does", () => {
  const script = readFileSync(new URL("./assets/live.js", import.meta.url), "utf8");
  expect(script).toContain(`const SILENCE_MS = ${stream.STREAM_SILENCE_MS / 1000}_000;`);
});
