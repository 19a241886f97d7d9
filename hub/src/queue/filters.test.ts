import { expect, test } from "vitest";
import { defaultSettings } from "../governor/settings.ts";
import { compileFilters, type FilterSettings } from "./filters.ts";

const issue = {
  repo: "Meadow/Tide-Clock",
  title: "Clock runs late",
  author: "ada",
  labels: ["bug", "Good First Issue"],
};
function reason(settings: Partial<FilterSettings>, changes: Partial<typeof issue> = {}) {
  return compileFilters({ ...defaultSettings, ...settings })({ ...issue, ...changes });
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

test("titles and authors are excluded by pattern, dashboards, epics and bots by default", () => {
  expect(reason({}, { title: "Renovate Dashboard 🤖" })).toBe("title_filter");
  expect(reason({}, { title: "Epic: the great rewrite" })).toBe("title_filter");
  expect(reason({}, { author: "Dependabot[bot]" })).toBe("author_filter");
  expect(reason({ contribute_deny_authors: ["/^a/"] })).toBe("author_filter");
});

test("a wrong pattern is refused with its key and the reason", () => {
  expect(() => reason({ contribute_deny_titles: ["fine", "/(/"] })).toThrow(/^contribute_deny_titles\[1\]: /);
});
