import type { Pattern } from "@nest/dispatch";
import { TimeSlicer } from "@nest/kit";

/** Patterns of at most this cost together are gone through at once: a model has 64 characters, that is about a millisecond. */
const CHEAP = 200;
/** Models that relays declared and what was found of each, kept while the policy is in force. */
const MOST_KNOWN = 1000;

/** Which models a relay may connect with, by the list in force. */
export class ModelPolicy {
  readonly #accepted: readonly Pattern[];
  readonly #isAnyAccepted: boolean;
  readonly #isCheap: boolean;
  readonly #known = new Map<string, boolean>();

  constructor(accepted: readonly Pattern[], rejectUnknown: boolean) {
    this.#accepted = accepted;
    this.#isAnyAccepted = !rejectUnknown || accepted.length === 0;
    this.#isCheap = accepted.reduce((sum, { cost }) => sum + cost, 0) <= CHEAP;
  }

  /** The list as the admin wrote it. */
  get sources(): string[] {
    return this.#accepted.map(({ source }) => source);
  }

  /** Whether the model is accepted; undefined when that takes long and {@link judge} has not gone through it yet. */
  verdict(model: string): boolean | undefined {
    if (this.#isAnyAccepted) return true;
    if (this.#isCheap) return this.#accepted.some((pattern) => pattern.matches(model));
    return this.#known.get(model);
  }

  /** Goes through a long list, with turns for everybody else; then {@link verdict} answers at once. */
  async judge(model: string): Promise<void> {
    const breath = new TimeSlicer();
    let isAccepted = false;
    for (const pattern of this.#accepted) {
      isAccepted = await breath.through(pattern.steps(model));
      if (isAccepted) break;
    }
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(model, isAccepted);
  }
}
