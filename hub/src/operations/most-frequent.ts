/** Values of a facet that are told; nobody chooses from more. */
const MOST_VALUES = 50;

/** A value of a facet, and how many have it. */
interface Value {
  readonly name: string;
  readonly count: number;
}

/** The most frequent values, in order. Step by step, because strangers may ask for it, and may be many authors. */
export function* mostFrequent(values: ReadonlyMap<string, number>): Generator<void, Value[]> {
  const best: Value[] = [];
  for (const [name, count] of values) {
    yield;
    const value = { name, count };
    const last = best.at(-1);
    if (best.length === MOST_VALUES && last !== undefined && !isBefore(value, last)) continue;
    const behind = best.findIndex((one) => isBefore(value, one));
    best.splice(behind < 0 ? best.length : behind, 0, value);
    if (best.length > MOST_VALUES) best.pop();
  }
  return best;
}

function isBefore(one: Value, other: Value): boolean {
  return one.count > other.count || (one.count === other.count && one.name.localeCompare(other.name) < 0);
}
