import type { Durations } from "@nest/protocol";
import type { TierPolicy } from "./admit.ts";
import type { Command, RelayIdentity } from "./commands.ts";
import type { Promotion } from "./contributor.ts";
import type { Ledger } from "./ledger.ts";

/** An issue that could be handed out. */
export interface Candidate {
  readonly key: string;
  readonly repo: string;
  readonly number: number;
  readonly title: string;
  readonly url: string;
  readonly updatedAt: number;
}

/** The issues on offer, best first. The ledger has the last word on each. */
export interface Candidates {
  /** False until every monitored repository was read once: nothing is handed out on half a picture. */
  readonly isReady: boolean;
  offer(asker: RelayIdentity, now: number): Iterable<Candidate>;
  /** The title and text of an issue in short, as they are known now. */
  digestOf(key: string): string | undefined;
  /** What is known of these issues has changed. */
  touch(keys: ReadonlySet<string>, now: number): void;
}

/** A pull request in its one spelling. */
export interface NamedPullRequest {
  /** `owner/name#number` in lower case: what it is judged, remembered and counted by. */
  readonly key: string;
  /** Whether it is of the repository that was asked about. */
  readonly isOfRepo: boolean;
  /** The address that people open. */
  readonly url: string;
}

/** The rules in force; read anew for each command. */
export interface DeciderPolicy extends TierPolicy {
  readonly suspended: boolean;
  readonly promotion: Promotion;
}

export interface DeciderDeps {
  readonly ledger: Ledger;
  readonly candidates: Candidates;
  readonly policy: () => DeciderPolicy;
  readonly times: Durations;
  /** A task id: opaque, unique for ever. */
  readonly newTaskId: (gen: number) => string;
  /** The pull request that an address names, however it is spelled, as one of `repo` where it is; undefined when it names none. */
  readonly pullRequestAt: (address: string, repo: string) => NamedPullRequest | undefined;
}

/** One kind of command. */
export type Of<Kind extends Command["kind"]> = Extract<Command, { kind: Kind }>;

/** Tells the queue which issues to look at again. */
export function refreshQueue({ ledger, candidates }: DeciderDeps, now: number): void {
  const touched = ledger.touched();
  if (touched.size > 0) candidates.touch(touched, now);
}
