import { RE2JS } from "re2js";
import { expect, test, vi } from "vitest";
import { compileFilters, type FilterSettings } from "./filters.ts";

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
  expect(reason({ contribute_deny_authors: ["/^a/"] })).toBe("author_filter");
});

test("a wrong pattern is refused with its key and the reason", () => {
  expect(() => reason({ contribute_deny_titles: ["fine", "/(/"] })).toThrow(/^contribute_deny_titles\[1\]: /);
});

test.each([
  "/(?:a?){143}$b/",
  `/${"a*".repeat(97)}b/`,
  "/(?:\\b?a?){70}!/",
  "/(.{0,140})$z/",
  "/(?:[a-cx-z0-35-79]?){143}$/",
])("one match of the hostile pattern %s is cut into steps that others have a turn between", (pattern) => {
  const compared = vi.spyOn(RE2JS.compile("a").re2Input.prog.inst[0].constructor.prototype, "matchRune");
  const filter = compileFilters({ ...everything, contribute_deny_titles: [pattern] });
  const longest = { ...issue, title: "a".repeat(512) };
  let most = 0;
  const steps = filter.steps(longest);
  for (let done = false; done !== true; most = Math.max(most, compared.mock.calls.length)) {
    compared.mockClear();
    done = steps.next().done === true;
  }
  compared.mockRestore();
  expect(most).toBeGreaterThan(0);
  // A step is 500, and what its last character takes: the whole of the largest program.
  expect(most).toBeLessThan(900);
});
