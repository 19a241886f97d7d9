import { NestError } from "@nest/kit";
import type { WithheldReason } from "@nest/protocol";
import { type Anchoring, compilePattern, MOST_PATTERNS, type Pattern, runToEnd } from "./patterns.ts";
import { isTracker } from "./trackers.ts";

/** The queue configuration's filters (spec: Queue configuration), as written by the admin. */
export interface FilterSettings {
  readonly disabled_repos: readonly string[];
  readonly contribute_labels_mode: "deny" | "allow";
  readonly contribute_deny_labels: readonly string[];
  readonly contribute_titles_mode?: "deny" | "allow";
  readonly contribute_deny_titles: readonly string[];
  readonly contribute_authors_mode?: "deny" | "allow";
  readonly contribute_deny_authors: readonly string[];
  readonly contribute_skip_trackers?: boolean;
  readonly contribute_skip_assigned_to_others?: boolean;
}

export type FilterReason = Extract<
  WithheldReason,
  "repo_disabled" | "label_filter" | "title_filter" | "author_filter" | "tracker" | "assigned_to_other"
>;

interface Filtered {
  readonly repo: string;
  readonly title: string;
  readonly body?: string;
  readonly author: string;
  readonly labels: readonly string[];
  readonly assignees?: readonly string[];
}

/** Why an issue is left out of the queue by its repository, labels, title or author; undefined when it is not. */
export type Filter = (issue: Filtered) => FilterReason | undefined;

/** A filter that can also be gone through step by step, so that thousands of issues can be judged without blocking. */
export interface SteppedFilter extends Filter {
  /** Ends with the reason; each step before took a few milliseconds at most. */
  steps(issue: Filtered): Generator<void, FilterReason | undefined>;
}

interface ListRule {
  readonly reason: FilterReason;
  readonly patterns: readonly Pattern[];
  readonly allowing: boolean;
  readonly subjects: (issue: Filtered) => readonly string[];
}

/**
 * Compiles the filters once for a whole queue build.
 *
 * @throws NestError `invalid_pattern` naming the key, the pattern and what is wrong with it.
 */
export function compileFilters(settings: FilterSettings): SteppedFilter {
  const disabled = new Set(settings.disabled_repos.map((repo) => repo.toLowerCase()));
  const rules: ListRule[] = [
    {
      reason: "label_filter",
      patterns: compileList("contribute_deny_labels", settings.contribute_deny_labels),
      allowing: settings.contribute_labels_mode === "allow",
      subjects: ({ labels }) => labels,
    },
    {
      reason: "title_filter",
      patterns: compileList("contribute_deny_titles", settings.contribute_deny_titles),
      allowing: settings.contribute_titles_mode === "allow",
      subjects: ({ title }) => [title],
    },
    {
      reason: "author_filter",
      patterns: compileList("contribute_deny_authors", settings.contribute_deny_authors),
      allowing: settings.contribute_authors_mode === "allow",
      subjects: ({ author }) => [author],
    },
  ];
  // An empty list is a filter that is off, in either mode.
  const active = rules.filter(({ patterns }) => patterns.length > 0);

  function* steps(issue: Filtered): Generator<void, FilterReason | undefined> {
    const full = issue.repo.toLowerCase();
    if (disabled.has(full) || disabled.has(full.slice(full.indexOf("/") + 1))) return "repo_disabled";
    for (const { reason, patterns, allowing, subjects } of active) {
      if ((yield* isListed(patterns, subjects(issue))) !== allowing) return reason;
    }
    if (settings.contribute_skip_trackers === true && isTracker({ body: "", ...issue })) return "tracker";
    const assigned = issue.assignees !== undefined && issue.assignees.length > 0;
    return settings.contribute_skip_assigned_to_others === true && assigned ? "assigned_to_other" : undefined;
  }

  const filter: Filter = (issue) => runToEnd(steps(issue));
  return Object.assign(filter, { steps });
}

function* isListed(patterns: readonly Pattern[], subjects: readonly string[]): Generator<void, boolean> {
  for (const subject of subjects) {
    for (const pattern of patterns) {
      if (yield* pattern.steps(subject)) return true;
      yield;
    }
  }
  return false;
}

/** How a pattern without `*` is meant, by the key of its list. */
export function anchoringOf(key: string): Anchoring {
  return key === "contribute_deny_titles" ? "substring" : "whole";
}

/** Compiles a list of patterns, or says which one is wrong and why. */
export function compileList(key: string, sources: readonly string[]): Pattern[] {
  if (sources.length > MOST_PATTERNS)
    throw new NestError("invalid_pattern", `${key}: more than ${MOST_PATTERNS} patterns`);
  return sources.map((source, at) => {
    const result = compilePattern(source, anchoringOf(key));
    if (result.kind === "pattern") return result.pattern;
    throw invalidPattern(key, at, result.because);
  });
}

/** A pattern that cannot be saved: which one, and why. */
export function invalidPattern(key: string, at: number, because: string): NestError {
  return new NestError("invalid_pattern", `${key}[${at}]: ${because}`, {
    hint: "use * as a wildcard, or a regular expression in RE2 syntax between slashes",
  });
}
