import type { PatternList } from "@nest/dispatch";

/** Which models a relay may connect with, by the list in force. */
export class ModelPolicy {
  readonly #accepted: PatternList;
  readonly #isAnyAccepted: boolean;

  constructor(accepted: PatternList, rejectUnknown: boolean) {
    this.#accepted = accepted;
    this.#isAnyAccepted = !rejectUnknown || accepted.sources.length === 0;
  }

  /** The list as the admin wrote it. */
  get sources(): readonly string[] {
    return this.#accepted.sources;
  }

  /** Whether the model is accepted; undefined until {@link judge} has had regular expressions matched with it. */
  verdict(model: string): boolean | undefined {
    return this.#isAnyAccepted || this.#accepted.lists([model]);
  }

  /** Has the list matched with a model; true when {@link verdict} can answer now. */
  async judge(model: string): Promise<boolean> {
    await this.#accepted.judge([model]);
    return this.verdict(model) !== undefined;
  }
}
