import { existsSync } from "node:fs";
import { type CancelTimer, type Clock, sentenceOf } from "@nest/kit";
import type { OwnLogin } from "./secrets/own-secrets.ts";

/** The result of a check of this machine. */
export interface Look {
  /** Absolute path of the agent's program; undefined when there is none. */
  readonly binary: string | undefined;
  /** Why the agent cannot work here; undefined where the check saw no reason. */
  readonly trouble: string | undefined;
  /** The contributor's own login at the code host. */
  readonly login: OwnLogin["kind"] | undefined;
}

const LOOK_EVERY_MS = 60_000;
const SHORTEST_LOOK_MS = 500;

export interface ReadinessDeps {
  readonly clock: Clock;
  /** How many times faster than real time goes by (tests). */
  readonly clockScale: number;
  readonly look: () => Promise<Look>;
  /** Runs the agent for a moment; why it cannot work, undefined when it does. */
  readonly prove: () => Promise<string | undefined>;
}

/**
 * Knows whether this machine can work, and checks again every minute. After a run that failed because of the machine a check
 * is not enough: the agent has to run for a moment to prove that it works again.
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

  /** Checks regularly until {@link Readiness.stop}; calls `onChange` when a result differs from the one before. */
  start(onChange: () => void): void {
    this.#onChange = onChange;
    const { clock, clockScale } = this.#deps;
    const everyMs = Math.max(SHORTEST_LOOK_MS, LOOK_EVERY_MS / clockScale);
    this.#cancel = clock.every(everyMs, () => void this.look());
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  /**
   * Why no work is asked for; undefined when the agent can work. A program that was removed since the last check is noticed
   * here.
   */
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

  /** A run has failed because of this machine: no task is taken before the agent is known to work. */
  suspect(reason: string): void {
    this.#suspicion = reason;
    this.#onChange();
    void this.look();
  }

  /** Checks now, or waits for the check that is under way. Never rejects. */
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
