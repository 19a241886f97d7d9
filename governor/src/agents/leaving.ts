import type { Log } from "@nest/kit";
import type { Agent } from "./agent.ts";

export interface LeavingDeps {
  readonly log: Log;
  readonly endSession: (agent: string) => Promise<void>;
  /** Whether the settings name an agent of this name. */
  readonly isNamed: (agent: string) => boolean;
}

/** Agents that were taken out of the settings, until nothing of them runs. */
export class Leaving {
  readonly #deps: LeavingDeps;
  readonly #ends = new Set<Promise<void>>();

  constructor(deps: LeavingDeps) {
    this.#deps = deps;
  }

  /** Ends an agent's run, then its terminal. Returns at once. */
  end(agent: Agent): void {
    const end = this.#end(agent)
      .catch((thrown: unknown) =>
        this.#deps.log.error({ agent: agent.name, err: thrown }, "a removed agent could not be ended"),
      )
      .finally(() => this.#ends.delete(end));
    this.#ends.add(end);
  }

  /** Resolves when all of them are gone. */
  async settled(): Promise<void> {
    await Promise.all(this.#ends);
  }

  async #end(agent: Agent): Promise<void> {
    const { endSession, isNamed } = this.#deps;
    await agent.close("the agent was removed");
    // Another one of this name may have come meanwhile: the terminal is its own by now.
    if (!isNamed(agent.name)) await endSession(agent.name);
  }
}
