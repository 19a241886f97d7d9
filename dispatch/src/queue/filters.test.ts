import { expect, test } from "vitest";
import { compileFilters, type FilterSettings } from "./filters.ts";
import { PatternJudge } from "./pattern-judge.ts";

const everything: FilterSettings = {
  disabled_repos: [],
  contribute_labels_mode: "deny",
  contribute_deny_labels: [],
  contribute_deny_titles: [],
  contribute_deny_authors: [],
};
const issue = {
  repo: "Meadow/Tide-Clock",
  title: "Clock runs late",
  author: "ada",
  labels: ["bug", "Good First Issue"],
};
function reason(settings: Partial<FilterSettings>, changes: Partial<typeof issue> = {}) {
  return compileFilters({ ...everything, ...settings })({ ...issue, ...changes });
}

test("a monitored repository serves work unless listed, by full or short name in any case", () => {
  expect(reason({})).toBeUndefined();
  expect(reason({ disabled_repos: ["meadow/TIDE-clock"] })).toBe("repo_disabled");
  expect(reason({ disabled_repos: ["tide-clock"] })).toBe("repo_disabled");
  expect(reason({ disabled_repos: ["clock", "other/tide-clock"] })).toBeUndefined();
});

test("deny: listed labels exclude an issue; allow: an issue must carry one of them; an empty allow list is off", () => {
  expect(reason({ contribute_deny_labels: ["BUG"] })).toBe("label_filter");
  expect(reason({ contribute_deny_labels: ["bu"] })).toBeUndefined();
  expect(reason({ contribute_labels_mode: "allow", contribute_deny_labels: ["good first*"] })).toBeUndefined();
  expect(reason({ contribute_labels_mode: "allow", contribute_deny_labels: ["help wanted"] })).toBe("label_filter");
  expect(reason({ contribute_labels_mode: "allow", contribute_deny_labels: [] })).toBeUndefined();
});

test("titles and authors are excluded by pattern", () => {
  expect(reason({ contribute_deny_titles: ["*clock*"] })).toBe("title_filter");
  expect(reason({ contribute_deny_authors: ["a*"] })).toBe("author_filter");
});

test("a wrong pattern is refused with its key and the reason", async () => {
  await using judge = new PatternJudge();
  await judge.build("/(/");
  const settings = { ...everything, contribute_deny_titles: ["fine", "/(/"] };
  expect(() => compileFilters(settings, judge)).toThrow(/^contribute_deny_titles\[1\]: .*missing closing \)/);
});

test("an issue that was not held against the expressions is left out, in either mode, until it has been", async () => {
  await using judge = new PatternJudge();
  for (const mode of ["deny", "allow"] as const) {
    const titles = ["/^clock/", "*never*"];
    const settings = { ...everything, contribute_titles_mode: mode, contribute_deny_titles: titles };
    const filter = compileFilters(settings, judge);
    const other = { ...issue, title: "Something else" };
    expect([filter(issue), filter(other)]).toEqual(["title_filter", "title_filter"]);
    await filter.judge?.([issue, other]);
    expect([filter(issue), filter(other)]).toEqual(
      mode === "deny" ? ["title_filter", undefined] : [undefined, "title_filter"],
    );
  }
});

test("without expressions nothing has to be judged, and no thread is needed", () => {
  const filter = compileFilters({ ...everything, contribute_deny_titles: ["*clock*"] });
  expect(filter.judge).toBeUndefined();
  expect(filter(issue)).toBe("title_filter");
});
