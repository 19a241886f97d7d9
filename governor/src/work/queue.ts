import type { Issue } from "@nest/codehost";
import { type JudgeFacts, type Judgement, keyOf } from "./judge.ts";
import type { ScannedRepo } from "./scan.ts";

/** One open issue with what was judged of it. */
export interface Judged {
  readonly key: string;
  readonly issue: Issue;
  /** Undefined: agents may take it. */
  readonly judgement: Judgement | undefined;
}

/** Every open issue of the monitored repositories, oldest first, judged at one moment. */
export interface WorkQueue {
  readonly items: readonly Judged[];
  readonly actionable: readonly Judged[];
}

/** Judges all open issues. Pure. */
export function judgeAll(
  repos: readonly ScannedRepo[],
  judge: (issue: Issue, facts: JudgeFacts) => Judgement | undefined,
  facts: JudgeFacts,
): WorkQueue {
  const items = repos
    .flatMap(({ issues }) => issues)
    .sort((a, b) => a.createdAt - b.createdAt || a.number - b.number)
    .map((issue) => ({ key: keyOf(issue), issue, judgement: judge(issue, facts) }));
  return { items, actionable: items.filter(({ judgement }) => judgement === undefined) };
}

/** The oldest issue that this agent may take; undefined where there is none. Pure. */
export function issueFor(
  agent: { readonly repos: readonly string[]; readonly labels: readonly string[] },
  actionable: readonly Judged[],
): Judged | undefined {
  const repos = new Set(agent.repos.map((repo) => repo.toLowerCase()));
  const labels = new Set(agent.labels.map((label) => label.toLowerCase()));
  return actionable.find(
    ({ issue }) =>
      (repos.size === 0 || repos.has(issue.repo.toLowerCase())) &&
      (labels.size === 0 || issue.labels.some((label) => labels.has(label.toLowerCase()))),
  );
}
