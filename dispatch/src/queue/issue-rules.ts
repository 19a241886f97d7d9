import { holdOf } from "../leases/cooldown.ts";
import type { Ledger } from "../leases/ledger.ts";
import { operatorHoldOn } from "../leases/operator-hold.ts";
import { pauseOf } from "../leases/pause.ts";
import type { Claim, QueueIssue, Withheld } from "./entry.ts";
import type { FilterRule } from "./filters.ts";

/** What is known of an issue beside its filters. */
export const issueRuleNames = ["leased", "repo_paused", "operator_hold", "claimed", "waiting"] as const;
export type IssueRuleName = (typeof issueRuleNames)[number];

/** A rule that holds back issues for what the hub knows of them; the filters (`filters.ts`) are asked before. */
export interface IssueRule {
  readonly name: IssueRuleName;
  /** Undefined: this rule lets the issue pass. */
  readonly why: (key: string, issue: QueueIssue, now: number) => Withheld | undefined;
}

/** What one rule says of an issue. */
export interface Judgement {
  readonly rule: FilterRule["reason"] | IssueRuleName;
  /** Undefined: the rule lets the issue pass. */
  readonly withheld: Withheld | undefined;
  /** The setting that the rule is made of, for a filter. */
  readonly setting?: { readonly name: string; readonly value: unknown; readonly isOn: boolean };
}

/** What each filter says of an issue, those that are off too. */
export function filterJudgements(rules: readonly FilterRule[], issue: QueueIssue): Judgement[] {
  return rules.map(({ reason, setting: name, value, isOn, leavesOut, matched }) => {
    const isLeftOut = isOn && leavesOut(issue);
    const withheld = isLeftOut ? { reason, until: undefined, detail: matched?.(issue) } : undefined;
    return { rule: reason, withheld, setting: { name, value, isOn } };
  });
}

/** The rules in the order in which they are asked: the first that holds an issue back is the reason that is told. */
export function issueRules(ledger: Ledger, claimOn: (key: string) => Claim | undefined): readonly IssueRule[] {
  return [
    {
      name: "leased",
      why(key) {
        const lease = ledger.leaseOnItem(key);
        if (lease === undefined) return undefined;
        return { reason: "leased", until: undefined, detail: ledger.contributor(lease.contributorId)?.login };
      },
    },
    {
      name: "repo_paused",
      why(_key, { repo }, now) {
        const pause = pauseOf(ledger, { kind: "repository", repo }, now);
        if (pause === undefined) return undefined;
        return { reason: "repo_paused", until: pause.until ?? undefined, detail: said(pause.note), by: pause.by };
      },
    },
    {
      name: "operator_hold",
      why(key, _issue, now) {
        const hold = operatorHoldOn(ledger, key, now);
        if (hold === undefined) return undefined;
        return { reason: "operator_hold", until: hold.until, detail: said(hold.reason), by: hold.by };
      },
    },
    {
      name: "claimed",
      why(key, _issue, now) {
        const claim = claimOn(key);
        if (claim === undefined || now >= claim.until) return undefined;
        return { reason: "claimed", until: claim.until, detail: claim.pullRequestUrl };
      },
    },
    {
      name: "waiting",
      why(key, { updatedAt }, now) {
        const hold = holdOf(ledger.item(key), updatedAt, now);
        return hold === undefined ? undefined : { reason: hold.reason, until: hold.until, detail: undefined };
      },
    },
  ];
}

function said(words: string): string | undefined {
  return words === "" ? undefined : words;
}
