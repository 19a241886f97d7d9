import { type CodeHost, pullRequestLink } from "@nest/codehost";
import { backoffMs, type Clock, type Log, type Random, sentenceOf } from "@nest/kit";
import type { Command } from "../leases/commands.ts";
import type { Ledger } from "../leases/ledger.ts";

export interface PendingVerification {
  readonly taskId: string;
  readonly gen: number;
  readonly contributorId: string;
  readonly key: string;
  readonly repo: string;
  readonly prUrl: string;
  readonly completedAt: number;
}

export interface VerifierParts {
  readonly codeHost: CodeHost;
  readonly ledger: Ledger;
  readonly webUrl: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly submit: (command: Command) => void;
}

const RETRY = { firstMs: 5000, longestMs: 600_000 };

/**
 * Asks the code host about pull requests that completed tasks named: only one that exists, in the assigned repository, by this
 * contributor or by the app for them, counts. A code host that does not answer is asked again; what is pending survives a restart.
 */
export class Verifier {
  readonly #parts: VerifierParts;
  readonly #stop = new AbortController();
  readonly #pending = new Map<string, PendingVerification>();

  constructor(parts: VerifierParts) {
    this.#parts = parts;
  }

  get pending(): number {
    return this.#pending.size;
  }

  /** Verifies one pull request in the background and submits the verdict. */
  verify(pending: PendingVerification): void {
    if (this.#pending.has(pending.taskId)) return;
    this.#pending.set(pending.taskId, pending);
    void this.#run(pending);
  }

  stop(): void {
    this.#stop.abort(new Error("the hub is stopping"));
  }

  async #run(pending: PendingVerification): Promise<void> {
    const { clock, random, log, submit } = this.#parts;
    const { signal } = this.#stop;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        const because = await this.#fault(pending);
        const { taskId, gen, contributorId, key, prUrl, completedAt } = pending;
        const verdict = because === undefined ? "verified" : "refused";
        submit({
          kind: "verified",
          taskId,
          gen,
          contributorId,
          key,
          prUrl,
          completedAt,
          verdict,
          ...(because === undefined ? {} : { because }),
        });
        this.#pending.delete(taskId);
        return;
      } catch (thrown) {
        if (signal.aborted) return;
        log.warn({ task: pending.taskId, because: sentenceOf(thrown) }, "a pull request could not be verified yet");
        await clock.sleep(1000 + backoffMs(attempt, RETRY, random), signal).catch(() => {});
      }
    }
  }

  /** Why a pull request does not count; undefined when it does. */
  async #fault({ repo, prUrl, contributorId }: PendingVerification): Promise<string | undefined> {
    const { codeHost, ledger, webUrl } = this.#parts;
    const name = pullRequestLink(prUrl, webUrl);
    if (name === undefined || name.repo.toLowerCase() !== repo.toLowerCase())
      return "the pull request named is not of this repository";
    const pull = await codeHost.pullRequest(name.repo, name.number, this.#stop.signal);
    if (pull === undefined) return "the pull request named does not exist";
    const author = pull.author.toLowerCase();
    const login = ledger.contributor(contributorId)?.login.toLowerCase();
    if (author === login) return undefined;
    if (pull.authorIsApp && author === (await codeHost.self(this.#stop.signal)).toLowerCase()) return undefined;
    return "the pull request named was opened by somebody else";
  }
}
