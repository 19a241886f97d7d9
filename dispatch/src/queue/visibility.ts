import type { Command } from "../leases/commands.ts";
import type { Ledger } from "../leases/ledger.ts";

const PREFIX = "repository:";

interface Known {
  readonly private: boolean;
}

/**
 * Which repositories only their members see, as the code host said last; kept across restarts, because the activity feed
 * remembers issues of repositories that are no longer served. Of a repository nobody knows anything about, nothing is shown.
 */
export class RepositoryVisibility {
  readonly #ledger: Ledger;
  readonly #ask: (command: Command) => Promise<unknown>;

  /** `ask` resolves when a command is durable and in force. */
  constructor(ledger: Ledger, ask: (command: Command) => Promise<unknown>) {
    this.#ledger = ledger;
    this.#ask = ask;
  }

  /** Whether the facts of a repository may be shown to anybody. */
  isPublic(repo: string): boolean {
    return this.#known(repo)?.private === false;
  }

  /** Takes over what the code host says; in force when it resolves. */
  async set(repo: string, isPrivate: boolean): Promise<void> {
    if (this.#known(repo)?.private === isPrivate) return;
    await this.#ask({
      kind: "setting",
      name: PREFIX + repo.toLowerCase(),
      actor: "hub",
      change: { value: { private: isPrivate } satisfies Known },
    });
  }

  #known(repo: string): Known | undefined {
    return this.#ledger.setting(PREFIX + repo.toLowerCase()) as Known | undefined;
  }
}
