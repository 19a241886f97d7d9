import type { CodeHost } from "@nest/codehost";
import { pullRequestAt } from "@nest/dispatch";
import { type Clock, sentenceOf } from "@nest/kit";
import type { tasks } from "@nest/protocol";

export interface PullRequestStatesDeps {
  readonly codeHost: CodeHost;
  readonly webUrl: string;
  readonly clock: Clock;
}

/** The code host is asked again after this time, however many people look. */
const FRESH_MS = 60_000;
const MOST_KEPT = 500;
const PATIENCE_MS = 10_000;

interface Asked {
  readonly at: number;
  readonly answer: Promise<tasks.PullRequestState>;
}

/** What the code host says now of pull requests that tasks named, for people who look at one. */
export class PullRequestStates {
  readonly #deps: PullRequestStatesDeps;
  readonly #asked = new Map<string, Asked>();

  constructor(deps: PullRequestStatesDeps) {
    this.#deps = deps;
  }

  /** A pull request by its address; undefined for one that is not of this repository. Never rejects: a failure is told. */
  of(address: string, repo: string): Promise<tasks.PullRequestState> | undefined {
    const { webUrl, clock } = this.#deps;
    const pull = pullRequestAt(address, repo, webUrl);
    if (pull === undefined || !pull.isOfRepo) return undefined;
    const known = this.#asked.get(pull.key);
    if (known !== undefined && clock.now() - known.at < FRESH_MS) return known.answer;
    const number = Number(pull.key.slice(pull.key.lastIndexOf("#") + 1));
    const asked = { at: clock.now(), answer: this.#ask(repo, number) };
    this.#asked.delete(pull.key);
    this.#asked.set(pull.key, asked);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > MOST_KEPT && oldest !== undefined) this.#asked.delete(oldest);
    return asked.answer;
  }

  async #ask(repo: string, number: number): Promise<tasks.PullRequestState> {
    const { codeHost, clock } = this.#deps;
    const at = new Date(clock.now()).toISOString();
    const signal = AbortSignal.timeout(PATIENCE_MS);
    try {
      const pull = await codeHost.pullRequest(repo, number, signal);
      if (pull === undefined) return { at, error: "the code host knows no such pull request" };
      const state = pull.merged ? "merged" : pull.state;
      return { at, state, draft: pull.draft, checks: await codeHost.requiredChecks(pull, signal) };
    } catch (thrown) {
      return { at, error: sentenceOf(thrown) };
    }
  }
}
