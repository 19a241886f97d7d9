/** A line or a file that could not be used. */
export interface LedgerProblem {
  readonly file: string;
  /** The byte at which the line begins. */
  readonly offset?: number;
  readonly because: "damaged" | "unknown" | "too_long" | "incomplete_snapshot";
}

const MOST_KEPT = 100;

/** What could not be read of a ledger: how much, and the first hundred. */
export class Problems {
  readonly #first: LedgerProblem[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get first(): readonly LedgerProblem[] {
    return this.#first;
  }

  add(problem: LedgerProblem): void {
    this.#count += 1;
    if (this.#first.length < MOST_KEPT) this.#first.push(problem);
  }

  clear(): void {
    this.#first.length = 0;
    this.#count = 0;
  }
}
