import type { WithheldReason } from "@nest/protocol";
import type { Candidate } from "../leases/decider-deps.ts";
import type { FilterReason } from "./filters.ts";

/** An open issue as the code host tells it. */
export interface QueueIssue {
  readonly repo: string;
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly author: string;
  readonly labels: readonly string[];
  readonly assignees?: readonly string[];
  readonly updatedAt: number;
}

/** Why an issue is not offered. */
export interface Withheld {
  readonly reason: WithheldReason;
  readonly until: number | undefined;
  readonly detail: string | undefined;
  /** The operator whose doing it is. */
  readonly by?: string | undefined;
}

/** A claim of an issue by an open pull request. */
export interface Claim {
  readonly pullRequestUrl: string;
  readonly until: number;
}

/** An open issue with what the queue knows of it. */
export interface Entry extends Candidate {
  readonly issue: QueueIssue;
  readonly failures: number;
  readonly filtered: FilterReason | undefined;
  /** Undefined: on offer now. */
  readonly withheld: Withheld | undefined;
}
