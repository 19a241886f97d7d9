import { createHash } from "node:crypto";

/** A tag of some values, 16 hexadecimal characters: equal values have equal tags. */
export function tagOf(...values: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(values)).digest("hex").slice(0, 16);
}

/** The same, computed again only when one of the values is another object than before. */
export class Revision {
  #values: readonly unknown[] = [];
  #tag = "";

  of(...values: readonly unknown[]): string {
    if (
      this.#tag === "" ||
      values.length !== this.#values.length ||
      values.some((value, at) => value !== this.#values[at])
    ) {
      this.#tag = tagOf(...values);
      this.#values = values;
    }
    return this.#tag;
  }
}
