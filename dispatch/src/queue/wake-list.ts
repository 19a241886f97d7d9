/** Keys to be looked at again at a time: a binary heap, earliest first. A key may stand in it more than once. */
export class WakeList {
  readonly #heap: { readonly at: number; readonly key: string }[] = [];

  add(key: string, at: number): void {
    const heap = this.#heap;
    let place = heap.push({ at, key }) - 1;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      if ((heap[parent]?.at ?? 0) <= at) break;
      this.#swap(place, parent);
      place = parent;
    }
  }

  /** Takes out every key whose time has come. */
  due(now: number): string[] {
    const keys: string[] = [];
    while ((this.#heap[0]?.at ?? Number.POSITIVE_INFINITY) <= now) {
      const first = this.#takeFirst();
      if (first !== undefined) keys.push(first);
    }
    return keys;
  }

  #takeFirst(): string | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return undefined;
    if (heap.length > 0) {
      heap[0] = last;
      this.#sink();
    }
    return first.key;
  }

  #sink(): void {
    const heap = this.#heap;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const smaller =
        (heap[left + 1]?.at ?? Number.POSITIVE_INFINITY) < (heap[left]?.at ?? Number.POSITIVE_INFINITY)
          ? left + 1
          : left;
      if ((heap[smaller]?.at ?? Number.POSITIVE_INFINITY) >= (heap[place]?.at ?? 0)) return;
      this.#swap(place, smaller);
      place = smaller;
    }
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap;
    const [first, second] = [heap[a], heap[b]];
    if (first === undefined || second === undefined) return;
    heap[a] = second;
    heap[b] = first;
  }
}
