import type { WithheldReason } from "@nest/protocol";
import type { PatternJudge } from "./pattern-judge.ts";
import { compileList } from "./pattern-list.ts";
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
  /** All filters in the order in which they are asked, those that are off too. */
  readonly rules?: readonly FilterRule[];
}

/** One of the filters, with the setting that it is made of. */
export interface FilterRule {
  readonly reason: FilterReason;
  readonly setting: keyof FilterSettings;
  readonly value: unknown;
  /** False for a filter that lets everything pass, whatever the issue. */
  readonly isOn: boolean;
  readonly leavesOut: (issue: Filtered) => boolean;
  /** The pattern that an issue matches, if it is a list of patterns and one does. */
  readonly matched?: (issue: Filtered) => string | undefined;
  /** Has the regular expressions matched with issues; absent where there are none. */
  readonly judge?: (issues: readonly Filtered[]) => Promise<void>;
}

/**
 * Compiles the filters once for a whole queue build; `judge` is for those with regular expressions.
 *
 * @throws NestError `invalid_pattern` naming the key, the pattern and what is wrong with it.
 */
export function compileFilters(settings: FilterSettings, judge?: PatternJudge): Filter {
  const { contribute_skip_trackers: trackers = false, contribute_skip_assigned_to_others: assigned = false } = settings;
  const rules: readonly FilterRule[] = [
    repositoryRule(settings.disabled_repos),
    listRule(settings, "contribute_deny_labels", judge),
    listRule(settings, "contribute_deny_titles", judge),
    listRule(settings, "contribute_deny_authors", judge),
    {
      reason: "tracker",
      setting: "contribute_skip_trackers",
      value: trackers,
      isOn: trackers,
      leavesOut: (issue) => isTracker({ body: "", ...issue }),
    },
    {
      reason: "assigned_to_other",
      setting: "contribute_skip_assigned_to_others",
      value: assigned,
      isOn: assigned,
      leavesOut: ({ assignees = [] }) => assignees.length > 0,
    },
  ];
  const active = rules.filter(({ isOn }) => isOn);
  const judging = active.filter((rule) => rule.judge !== undefined);
  const filter = (issue: Filtered) => active.find(({ leavesOut }) => leavesOut(issue))?.reason;
  if (judging.length === 0) return Object.assign(filter, { rules });
  const judgeAll = async (issues: readonly Filtered[]) => {
    for (const rule of judging) await rule.judge?.(issues);
  };
  return Object.assign(filter, { rules, judge: judgeAll });
}

function repositoryRule(names: readonly string[]): FilterRule {
  const disabled = new Set(names.map((name) => name.toLowerCase()));
  return {
    reason: "repo_disabled",
    setting: "disabled_repos",
    value: names,
    isOn: disabled.size > 0,
    leavesOut({ repo }) {
      const full = repo.toLowerCase();
      return disabled.has(full) || disabled.has(full.slice(full.indexOf("/") + 1));
    },
  };
}

/** Each list with the reason it gives, the setting that says which way it works, and what of an issue it is matched with. */
const lists = {
  contribute_deny_labels: {
    reason: "label_filter",
    mode: "contribute_labels_mode",
    subjects: ({ labels }: Filtered) => labels,
  },
  contribute_deny_titles: {
    reason: "title_filter",
    mode: "contribute_titles_mode",
    subjects: ({ title }: Filtered) => [title],
  },
  contribute_deny_authors: {
    reason: "author_filter",
    mode: "contribute_authors_mode",
    subjects: ({ author }: Filtered) => [author],
  },
} as const;

function listRule(settings: FilterSettings, setting: keyof typeof lists, judge: PatternJudge | undefined): FilterRule {
  const { reason, mode, subjects } = lists[setting];
  const patterns = compileList(setting, settings[setting], judge);
  const isAllowing = settings[mode] === "allow";
  return {
    reason,
    setting,
    value: { mode: settings[mode] ?? "deny", patterns: patterns.sources },
    // An empty list is a filter that is off, in either mode.
    isOn: patterns.sources.length > 0,
    leavesOut: (issue) => patterns.lists(subjects(issue)) !== isAllowing,
    matched(issue) {
      const hits = subjects(issue).map((subject) => patterns.verdict(subject));
      return hits.find((verdict) => typeof verdict === "object")?.pattern;
    },
    ...(patterns.isImmediate
      ? {}
      : { judge: (issues: readonly Filtered[]) => patterns.judge(issues.flatMap(subjects)) }),
  };
}
