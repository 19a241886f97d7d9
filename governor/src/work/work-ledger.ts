import type { Issue } from "@nest/codehost";
import type { RunOutcome } from "@nest/protocol";

/** What the governor needs of the work ledger. */
export interface WorkLedger {
  /** Issues, `owner/name#number`, that the ledger says something unfinished comes before. */
  blockedIssues(): Promise<ReadonlySet<string>>;
  /** An agent begins work on an issue. */
  begin(agent: string, issue: Issue): Promise<void>;
  /** Its run ended so. */
  end(agent: string, issue: string, outcome: RunOutcome, summary: string | undefined): Promise<void>;
}
