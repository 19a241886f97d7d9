import type { Durations } from "@nest/protocol";
import type { TierPolicy } from "./admit.ts";
import type { Command, RelayIdentity } from "./commands.ts";
import type { Promotion } from "./contributor.ts";
import type { Ledger } from "./ledger.ts";

/** An issue that could be assigned. */
export interface Candidate {
  readonly key: string;
  readonly repo: string;
  readonly number: number;
  readonly title: string;
  readonly url: string;
  readonly updatedAt: number;
}

/** The issues on offer, best first. The ledger decides whether each may be assigned. */
export interface Candidates {
  /** False until at least one repository was read completely; no issue is assigned before that. */
  readonly isReady: boolean;
  offer(asker: RelayIdentity, now: number): Iterable<Candidate>;
  /** A digest of the current title and text. */
  digestOf(key: string): string | undefined;
  /** Call when something about these issues changed, or about all issues of a repository, given by its name in lower case. */
  touch(keys: ReadonlySet<string>, now: number): void;
}

/** A pull request in its canonical spelling. */
export interface NamedPullRequest {
  /** `owner/name#number` in lower case: the key under which it is verified and counted. */
  readonly key: string;
  /** Whether it belongs to the given repository. */
  readonly isOfRepo: boolean;
  /** The web address. */
  readonly url: string;
}

/** The current rules; read again for each command. */
export interface DeciderPolicy extends TierPolicy {
  readonly suspended: boolean;
  readonly promotion: Promotion;
}

export interface DeciderDeps {
  readonly ledger: Ledger;
  readonly candidates: Candidates;
  readonly policy: () => DeciderPolicy;
  readonly times: Durations;
  /** Makes an opaque task id that is never reused. */
  readonly newTaskId: (gen: number) => string;
  /**
   * The pull request that an address names, in any spelling. `repo` is the spelling to use if it is that repository.
   * Undefined when the address names no pull request.
   */
  readonly pullRequestAt: (address: string, repo: string) => NamedPullRequest | undefined;
}

/** A command of one kind. */
export type Of<Kind extends Command["kind"]> = Extract<Command, { kind: Kind }>;

/** Passes the issues that the ledger touched to the queue, which checks them again. */
export function refreshQueue({ ledger, candidates }: DeciderDeps, now: number): void {
  const touched = ledger.touched();
  if (touched.size > 0) candidates.touch(touched, now);
}
