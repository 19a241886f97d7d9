import { existsSync } from "node:fs";
import { type CancelTimer, type Clock, sentenceOf } from "@nest/kit";
import type { OwnLogin } from "./own-secrets.ts";

/** What a look at this machine found. */
export interface Look {
  /** Absolute path of the agent's program; undefined when there is none. */
  readonly binary: string | undefined;
  /** Why the agent cannot work here; undefined as far as a look can tell. */
  readonly trouble: string | undefined;
  /** The contributor's own login at the code host. */
  readonly login: OwnLogin["kind"] | undefined;
}

export interface ReadinessDeps {
  readonly clock: Clock;
  readonly everyMs: number;
  readonly look: () => Promise<Look>;
  /** Runs the agent for a moment; why it cannot work, undefined when it does. */
  readonly prove: () => Promise<string | undefined>;
}

/**
 * Whether this machine can work at all, looked at again every minute (contract §8, Relay 10). A run that failed for the
 * machine's reasons raises a suspicion that no look can clear: the agent has to run for a moment to prove that it works again.
 */
export class Readiness {
  readonly #deps: ReadinessDeps;
  #found: Look;
  #suspicion: string | undefined;
  #looking: Promise<void> | undefined;
  #cancel: CancelTimer = () => undefined;
  #onChange: () => void = () => undefined;
  #stopped = false;

  constructor(first: Look, deps: ReadinessDeps) {
    this.#found = first;
    this.#deps = deps;
  }

  /** Looks again from now on, until {@link Readiness.stop}; `onChange` is called when something else is found than was known. */
  start(onChange: () => void): void {
    this.#onChange = onChange;
    this.#cancel = this.#deps.clock.every(this.#deps.everyMs, () => void this.look());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  /** Why no work is asked for; undefined when the agent can work. A program that has gone since the last look is missed here. */
  get trouble(): string | undefined {
    const { trouble, binary } = this.#found;
    if (trouble !== undefined) return trouble;
    if (binary !== undefined && !existsSync(binary)) return `agent command not found: ${binary}`;
    return this.#suspicion;
  }

  get binary(): string | undefined {
    return this.#found.binary;
  }

  get login(): OwnLogin["kind"] | undefined {
    return this.#found.login;
  }

  /** A run has failed for this machine's reasons: no further task before the agent is known to work. */
  suspect(reason: string): void {
    this.#suspicion = reason;
    this.#onChange();
    void this.look();
  }

  /** Looks now; a look that is under way is waited for. Never rejects. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const [troubleBefore, loginBefore] = [this.trouble, this.login];
    try {
      this.#found = await this.#deps.look();
      if (this.#found.trouble === undefined && this.#suspicion !== undefined && !this.#stopped)
        this.#suspicion = await this.#deps.prove();
    } catch (thrown) {
      this.#suspicion = `this machine could not be looked at: ${sentenceOf(thrown)}`;
    }
    if (this.#stopped) return;
    if (this.trouble !== troubleBefore || this.login !== loginBefore) this.#onChange();
  }
}
