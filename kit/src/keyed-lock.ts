/** Lets acts under one key run one after the other, in the order in which they came; acts under different keys do not wait. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  async run<Result>(key: string, act: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(act, act);
    const tail = result.catch(() => undefined);
    this.#tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}
