import { type CodeHost, pullRequestLink } from "@nest/codehost";
import { backoffMs, type Clock, type Log, type Random, sentenceOf } from "@nest/kit";
import type { Command, NamedWork } from "../leases/commands.ts";
import { itemKey } from "../leases/lease.ts";
import type { Ledger } from "../leases/ledger.ts";
import { whyNotCredited } from "./credit.ts";

export interface VerifierDeps {
  readonly codeHost: CodeHost;
  readonly ledger: Ledger;
  readonly webUrl: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly submit: (command: Command) => void;
  /** Whether a task with a lower generation named the same pull request and waits for its verdict. */
  readonly isNamedBefore: (prUrl: string, gen: number) => Promise<boolean>;
}

const RETRY = { firstMs: 5000, longestMs: 600_000 };

/**
 * Verifies the pull requests that completed tasks named: one counts if {@link whyNotCredited} has no objection. If the code
 * host does not answer, it is asked again; pending verifications survive a restart. If several tasks name the same pull
 * request, the first task is judged first.
 */
export class Verifier {
  readonly #deps: VerifierDeps;
  readonly #stop = new AbortController();
  readonly #pending = new Map<string, NamedWork>();

  constructor(deps: VerifierDeps) {
    this.#deps = deps;
  }

  get pending(): number {
    return this.#pending.size;
  }

  /** Verifies one pull request in the background and submits the verdict. */
  verify(pending: NamedWork): void {
    if (this.#pending.has(pending.taskId)) return;
    this.#pending.set(pending.taskId, pending);
    void this.#run(pending);
  }

  stop(): void {
    this.#stop.abort(new Error("the hub is stopping"));
  }

  async #run(pending: NamedWork): Promise<void> {
    const { clock, random, log, submit, isNamedBefore } = this.#deps;
    const { signal } = this.#stop;
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        if (await isNamedBefore(pending.prUrl, pending.gen)) {
          await clock.sleep(RETRY.firstMs, signal).catch(() => {});
          continue;
        }
        const { pull, because } = await this.#judge(pending);
        const { taskId, gen, contributorId, key, prUrl, completedAt } = pending;
        const verdict = because === undefined ? "verified" : "refused";
        const judged = { taskId, gen, contributorId, key, prUrl, pull, completedAt, verdict } as const;
        submit({ kind: "verified", ...judged, ...(because === undefined ? {} : { because }) });
        this.#pending.delete(taskId);
        return;
      } catch (thrown) {
        if (signal.aborted) return;
        log.warn({ task: pending.taskId, because: sentenceOf(thrown) }, "a pull request could not be verified yet");
        await clock.sleep(1000 + backoffMs(attempt, RETRY, random), signal).catch(() => {});
      }
    }
  }

  /** The pull request's canonical key, and why it does not count; undefined when it counts. */
  async #judge(work: NamedWork): Promise<{ readonly pull: string; readonly because: string | undefined }> {
    const { codeHost, ledger, webUrl } = this.#deps;
    const { signal } = this.#stop;
    const name = pullRequestLink(work.prUrl, webUrl);
    if (name === undefined || name.repo.toLowerCase() !== work.repo.toLowerCase())
      return { pull: work.prUrl, because: "the pull request named is not of this repository" };
    const pull = itemKey(name.repo, name.number);
    const found = await codeHost.pullRequest(name.repo, name.number, signal);
    if (found === undefined) return { pull, because: "the pull request named does not exist" };
    const app = found.authorIsApp ? await codeHost.self(signal) : undefined;
    return { pull, because: whyNotCredited(found, work, ledger.contributor(work.contributorId), app, webUrl) };
  }
}
