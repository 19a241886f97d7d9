import { createHash } from "node:crypto";
import type { CodeHost, Comment, Issue } from "@nest/codehost";
import { type Clock, type Log, sentenceOf } from "@nest/kit";
import { BLOCKED_PREFIX, type BlockedIssue } from "../leases/blocked.ts";
import type { Command } from "../leases/commands.ts";
import { itemKey } from "../leases/lease.ts";
import type { Ledger } from "../leases/ledger.ts";

/** The code host tells whole seconds, and its clock is not ours. */
const CLOCKS_DIFFER_MS = 60_000;
/** Issues whose comments are read in one round of a repository. */
const MOST_READ = 20;

export interface UnblockerDeps {
  readonly codeHost: CodeHost;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
  /** Resolves when the command is durable. */
  readonly ask: (command: Command) => Promise<unknown>;
}

/** What an issue says, in short. */
export function digestOf({ title, body }: Pick<Issue, "title" | "body">): string {
  return createHash("sha256").update(`${title}\0${body}`).digest("base64url").slice(0, 22);
}

/**
 * Brings blocked issues back once somebody has acted: the issue's author or one of the repository's people wrote a comment, or
 * its title or text was changed, which the platform lets nobody else do. What an app says does not count.
 */
export class Unblocker {
  readonly #deps: UnblockerDeps;
  /** When each issue had changed last, of those whose comments were read. */
  readonly #read = new Map<string, number>();

  constructor(deps: UnblockerDeps) {
    this.#deps = deps;
  }

  /** A repository was read. Never throws: what cannot be read now is read with the next round. */
  async look(repo: string, issues: readonly Issue[], signal: AbortSignal): Promise<void> {
    const { ledger, log } = this.#deps;
    const prefix = `${BLOCKED_PREFIX}${repo.toLowerCase()}#`;
    const blocked = ledger.settingsOf(prefix) as [string, BlockedIssue][];
    if (blocked.length === 0) return;
    const byKey = new Map(issues.map((issue) => [itemKey(repo, issue.number), issue]));
    let left = MOST_READ;
    for (const [name, before] of blocked) {
      const key = name.slice(BLOCKED_PREFIX.length);
      const issue = byKey.get(key);
      if (!this.#isBlocked(key)) await this.#forget(key);
      else if (issue !== undefined && before.digest !== undefined && digestOf(issue) !== before.digest)
        await this.#bringBack(key, "the issue was edited");
      else if (issue !== undefined && left > 0 && this.#mayHaveComments(key, issue, before)) {
        left -= 1;
        try {
          if (await this.#wasAnswered(issue, before, signal)) await this.#bringBack(key, "a maintainer commented");
          this.#read.set(key, issue.updatedAt);
        } catch (thrown) {
          if (signal.aborted) return;
          log.warn({ issue: key, because: sentenceOf(thrown) }, "comments on a blocked issue could not be read");
        }
      }
    }
  }

  #isBlocked(key: string): boolean {
    const item = this.#deps.ledger.item(key);
    return item?.holdReason === "blocked" && this.#deps.clock.now() < item.holdUntil;
  }

  #mayHaveComments(key: string, issue: Issue, before: BlockedIssue): boolean {
    return issue.updatedAt >= before.at - CLOCKS_DIFFER_MS && this.#read.get(key) !== issue.updatedAt;
  }

  async #wasAnswered(issue: Issue, before: BlockedIssue, signal: AbortSignal): Promise<boolean> {
    const since = before.at - CLOCKS_DIFFER_MS;
    const comments = await this.#deps.codeHost.issueComments(issue.repo, issue.number, since, signal);
    return comments.some((comment) => counts(comment, issue) && !this.#isOwnWord(comment, before));
  }

  /** An agent says on the issue why it is blocked, with the login of whom it works for: that is no answer. */
  #isOwnWord(comment: Comment, { at, contributorId }: BlockedIssue): boolean {
    const one = this.#deps.ledger.contributor(contributorId);
    if (one === undefined || comment.updatedAt >= at + CLOCKS_DIFFER_MS) return false;
    if (one.accountId !== undefined) return comment.authorId === one.accountId;
    return comment.author.toLowerCase() === one.login.toLowerCase();
  }

  #bringBack(key: string, because: string): Promise<void> {
    this.#read.delete(key);
    return this.#ask({ kind: "lift", keys: [key], reasons: ["blocked"], actor: "code-host", because });
  }

  #forget(key: string): Promise<void> {
    this.#read.delete(key);
    return this.#ask({ kind: "setting", name: BLOCKED_PREFIX + key, actor: "hub", change: { value: undefined } });
  }

  async #ask(command: Command): Promise<void> {
    try {
      await this.#deps.ask(command);
    } catch (thrown) {
      this.#deps.log.warn({ because: sentenceOf(thrown) }, "a blocked issue stays blocked until the next round");
    }
  }
}

/** Whether whoever wrote a comment may say that work can go on. */
function counts(comment: Comment, issue: Issue): boolean {
  if (comment.authorIsApp) return false;
  if (comment.authorBelongs) return true;
  if (comment.authorId !== undefined && issue.authorId !== undefined) return comment.authorId === issue.authorId;
  return comment.author.toLowerCase() === issue.author.toLowerCase();
}
