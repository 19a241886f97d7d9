import { NestError } from "@nest/kit";
import { type Anchoring, compilePattern, MOST_PATTERNS, type Pattern } from "./patterns.ts";

/** The queue configuration's filters (spec: Queue configuration), as written by the admin. */
export interface FilterSettings {
  readonly disabled_repos: readonly string[];
  readonly contribute_labels_mode: "deny" | "allow";
  readonly contribute_deny_labels: readonly string[];
  readonly contribute_deny_titles: readonly string[];
  readonly contribute_deny_authors: readonly string[];
}

export const defaultFilters: FilterSettings = {
  disabled_repos: [],
  contribute_labels_mode: "deny",
  contribute_deny_labels: [],
  contribute_deny_titles: ["*dependency dashboard*", "*renovate dashboard*", "epic:*", "epic(*"],
  contribute_deny_authors: ["renovate[bot]", "dependabot[bot]", "mergeraptor[bot]"],
};

export type FilterReason = "repo_disabled" | "label_filter" | "title_filter" | "author_filter";

export interface Filtered {
  readonly repo: string;
  readonly title: string;
  readonly author: string;
  readonly labels: readonly string[];
}

/** Why an issue is left out of the queue by its repository, labels, title or author; undefined when it is not. */
export type Filter = (issue: Filtered) => FilterReason | undefined;

/**
 * Compiles the filters once for a whole queue build.
 *
 * @throws NestError `invalid_pattern` naming the key, the pattern and what is wrong with it.
 */
export function compileFilters(settings: FilterSettings): Filter {
  const labels = compileList("contribute_deny_labels", settings.contribute_deny_labels, "whole");
  const titles = compileList("contribute_deny_titles", settings.contribute_deny_titles, "substring");
  const authors = compileList("contribute_deny_authors", settings.contribute_deny_authors, "whole");
  const disabled = new Set(settings.disabled_repos.map((repo) => repo.toLowerCase()));
  const allowing = settings.contribute_labels_mode === "allow";
  return ({ repo, title, author, labels: carried }) => {
    const full = repo.toLowerCase();
    if (disabled.has(full) || disabled.has(full.slice(full.indexOf("/") + 1))) return "repo_disabled";
    const listed = labels.length > 0 && carried.some((label) => labels.some((pattern) => pattern.matches(label)));
    // An empty allow list is a filter that is off.
    if (labels.length > 0 && listed !== allowing) return "label_filter";
    if (titles.some((pattern) => pattern.matches(title))) return "title_filter";
    return authors.some((pattern) => pattern.matches(author)) ? "author_filter" : undefined;
  };
}

/** Compiles a list of patterns, or says which one is wrong and why. */
export function compileList(key: string, sources: readonly string[], anchoring: Anchoring): Pattern[] {
  if (sources.length > MOST_PATTERNS)
    throw new NestError("invalid_pattern", `${key}: more than ${MOST_PATTERNS} patterns`);
  return sources.map((source, at) => {
    const result = compilePattern(source, anchoring);
    if (result.kind === "pattern") return result.pattern;
    throw new NestError("invalid_pattern", `${key}[${at}]: ${result.because}`, {
      hint: "use * as a wildcard, or a regular expression in RE2 syntax between slashes",
    });
  });
}
