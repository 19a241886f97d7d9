import type { WithheldReason } from "@nest/protocol";
import type { PatternJudge } from "./pattern-judge.ts";
import { compileList, type PatternList } from "./pattern-list.ts";
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

/**
 * Why an issue is left out of the queue by its repository, labels, title or author; undefined when it is not. Answers at once. What
 * depends on regular expressions that were not matched with this issue yet is left out by them: nothing is offered unjudged.
 */
export interface Filter {
  (issue: Filtered): FilterReason | undefined;
  /** Has the regular expressions matched with issues; absent where there are none. */
  judge?(issues: readonly Filtered[]): Promise<void>;
}

interface ListRule {
  readonly reason: FilterReason;
  readonly patterns: PatternList;
  readonly allowing: boolean;
  readonly subjects: (issue: Filtered) => readonly string[];
}

/**
 * Compiles the filters once for a whole queue build; `judge` is for those with regular expressions.
 *
 * @throws NestError `invalid_pattern` naming the key, the pattern and what is wrong with it.
 */
export function compileFilters(settings: FilterSettings, judge?: PatternJudge): Filter {
  const disabled = new Set(settings.disabled_repos.map((repo) => repo.toLowerCase()));
  const rules: ListRule[] = [
    {
      reason: "label_filter",
      patterns: compileList("contribute_deny_labels", settings.contribute_deny_labels, judge),
      allowing: settings.contribute_labels_mode === "allow",
      subjects: ({ labels }) => labels,
    },
    {
      reason: "title_filter",
      patterns: compileList("contribute_deny_titles", settings.contribute_deny_titles, judge),
      allowing: settings.contribute_titles_mode === "allow",
      subjects: ({ title }) => [title],
    },
    {
      reason: "author_filter",
      patterns: compileList("contribute_deny_authors", settings.contribute_deny_authors, judge),
      allowing: settings.contribute_authors_mode === "allow",
      subjects: ({ author }) => [author],
    },
  ];
  // An empty list is a filter that is off, in either mode.
  const active = rules.filter(({ patterns }) => patterns.sources.length > 0);
  const judging = active.filter(({ patterns }) => !patterns.isImmediate);

  const filter: Filter = (issue) => {
    const full = issue.repo.toLowerCase();
    if (disabled.has(full) || disabled.has(full.slice(full.indexOf("/") + 1))) return "repo_disabled";
    for (const { reason, patterns, allowing, subjects } of active) {
      if (patterns.lists(subjects(issue)) !== allowing) return reason;
    }
    if (settings.contribute_skip_trackers === true && isTracker({ body: "", ...issue })) return "tracker";
    const assigned = issue.assignees !== undefined && issue.assignees.length > 0;
    return settings.contribute_skip_assigned_to_others === true && assigned ? "assigned_to_other" : undefined;
  };
  if (judging.length === 0) return filter;
  const judgeAll = async (issues: readonly Filtered[]) => {
    for (const { patterns, subjects } of judging) await patterns.judge(issues.flatMap(subjects));
  };
  return Object.assign(filter, { judge: judgeAll });
}
