import type { Issue } from "@nest/codehost";
import type { HeldBackReason } from "@nest/protocol";
import { type IssueHistory, isFailure, retryAt } from "./issue-history.ts";

/** What decides whether an issue is given to agents. */
export interface JudgeRules {
  readonly holdLabels: readonly string[];
  readonly exemptLabels: readonly string[];
  readonly denyAuthors: readonly string[];
  readonly denyTitles: readonly string[];
}

/** What is known besides the issue itself. */
export interface JudgeFacts {
  /** Issues that open pull requests say they close, in lower case. */
  readonly claimed: ReadonlySet<string>;
  /** Issues that a run works on now. */
  readonly inProgress: ReadonlySet<string>;
  /** Issues that the ledger says something else comes before. */
  readonly blocked: ReadonlySet<string>;
  readonly history: IssueHistory;
  readonly now: number;
}

export interface Judgement {
  readonly reason: HeldBackReason;
  /** When it ends by itself; absent where something has to change. */
  readonly until?: number;
}

/** An issue's canonical name. */
export function keyOf({ repo, number }: Pick<Issue, "repo" | "number">): string {
  return `${repo}#${number}`;
}

/** What agents changed last is not news: a change that comes within this time of a run's end is its own. */
const OWN_ECHO_MS = 2 * 60_000;
/** How long an issue rests whose pull request was opened, when no open pull request claims it any more. */
const SHIPPED_REST_MS = 24 * 3_600_000;

/** Judges issues by rules that are compiled once. The judgement is undefined for an issue that agents may take. Pure. */
export function judgeBy(rules: JudgeRules): (issue: Issue, facts: JudgeFacts) => Judgement | undefined {
  const hold = new Set(rules.holdLabels.map((label) => label.toLowerCase()));
  const exempt = new Set(rules.exemptLabels.map((label) => label.toLowerCase()));
  const deniesAuthor = anyOf(rules.denyAuthors, "whole");
  const deniesTitle = anyOf(rules.denyTitles, "part");
  return (issue, facts) => {
    const key = keyOf(issue);
    const labels = issue.labels.map((label) => label.toLowerCase());
    if (labels.some((label) => exempt.has(label))) return { reason: "exempt_label" };
    if (labels.some((label) => hold.has(label))) return { reason: "held" };
    if (deniesAuthor(issue.author)) return { reason: "author_filter" };
    if (deniesTitle(issue.title)) return { reason: "title_filter" };
    if (isTracker(issue)) return { reason: "tracker" };
    if (issue.assignees.length > 0) return { reason: "assigned" };
    if (facts.inProgress.has(key)) return { reason: "in_progress" };
    if (facts.claimed.has(key.toLowerCase())) return { reason: "claimed" };
    if (facts.blocked.has(key)) return { reason: "blocked" };
    return judgeHistory(issue, facts.history[key], facts.now);
  };
}

function judgeHistory(issue: Issue, record: IssueHistory[string] | undefined, now: number): Judgement | undefined {
  if (record === undefined) return undefined;
  if (isFailure(record.outcome)) {
    const until = retryAt(record);
    return now < until ? { reason: "failed_lately", until } : undefined;
  }
  if (issue.updatedAt > record.endedAt + OWN_ECHO_MS) return undefined;
  switch (record.outcome) {
    case "shipped": {
      const until = record.endedAt + SHIPPED_REST_MS;
      return now < until ? { reason: "done", until } : undefined;
    }
    case "blocked":
      return { reason: "blocked" };
    default:
      return { reason: "done" };
  }
}

/** An issue that only collects others: most lines of its text are entries of a checklist that name issues. */
function isTracker({ title, body }: Issue): boolean {
  if (/^\s*\[?(?:epic|tracker|tracking|meta)\b/i.test(title)) return true;
  const entries = body.slice(0, 65_536).match(/^\s{0,8}[-*] \[[ xX]\] .{0,200}?#\d+/gm);
  return entries !== null && entries.length >= 3;
}

/** Whether a text is one of these patterns; `*` stands for anything, case does not matter. Linear in the text's length. */
function anyOf(patterns: readonly string[], what: "whole" | "part"): (text: string) => boolean {
  const wanted = patterns.map((pattern) => {
    const pieces = pattern.toLowerCase().split("*");
    return what === "part" ? ["", ...pieces, ""] : pieces;
  });
  return (text) => wanted.some((pieces) => fits(text.toLowerCase(), pieces));
}

/** Whether the pieces come in the text in this order, the first at its beginning and the last at its end. */
function fits(text: string, pieces: readonly string[]): boolean {
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (pieces.length === 1) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= text.length - last.length;
}
