import type { Entry } from "@nest/dispatch";
import { type contribute, spanOf } from "@nest/protocol";
import { mostFrequent } from "./most-frequent.ts";

/** Whether an issue is one that a filter is for, whatever keeps it or does not keep it from being offered. */
export function issueMatcher(filter: contribute.QueueFilter): (entry: Entry) => boolean {
  const [q, repo, label, author] = [filter.q, filter.repo, filter.label, filter.author].map((text) =>
    text?.toLowerCase(),
  );
  const { from, before } = spanOf(filter);
  return ({ key, title, repo: own, issue, updatedAt }) => {
    if (repo !== undefined && own.toLowerCase() !== repo) return false;
    if (author !== undefined && issue.author.toLowerCase() !== author) return false;
    if (label !== undefined && !issue.labels.some((one) => one.toLowerCase() === label)) return false;
    if (from !== undefined && updatedAt < from) return false;
    if (before !== undefined && updatedAt >= before) return false;
    return q === undefined || [key, title, issue.author, ...issue.labels].join(" ").toLowerCase().includes(q);
  };
}

/** How many issues have which repository, label, author and reason. A generator, one issue a step. */
export function* facetsOf(entries: readonly Entry[]): Generator<void, NonNullable<contribute.QueueReply["facets"]>> {
  const counts = {
    repo: new Map<string, number>(),
    label: new Map<string, number>(),
    author: new Map<string, number>(),
    reason: new Map<string, number>(),
  };
  const count = (values: Map<string, number>, name: string) => values.set(name, (values.get(name) ?? 0) + 1);
  for (const { repo, issue, withheld } of entries) {
    count(counts.repo, repo);
    count(counts.author, issue.author);
    for (const label of new Set(issue.labels)) count(counts.label, label);
    if (withheld !== undefined) count(counts.reason, withheld.reason);
    yield;
  }
  return {
    repo: yield* mostFrequent(counts.repo),
    label: yield* mostFrequent(counts.label),
    author: yield* mostFrequent(counts.author),
    reason: yield* mostFrequent(counts.reason),
  };
}
