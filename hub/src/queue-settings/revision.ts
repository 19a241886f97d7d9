import { createHash } from "node:crypto";

/** Names what some values are: the same text for equal values, another one for others. 16 hexadecimal characters. */
export function tagOf(...values: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(values)).digest("hex").slice(0, 16);
}

/** The same, worked out again only when one of the values is another object than before. */
export class Revision {
  #values: readonly unknown[] = [];
  #tag = "";

  of(...values: readonly unknown[]): string {
    if (this.#tag === "" || values.some((value, at) => value !== this.#values[at])) {
      this.#tag = tagOf(...values);
      this.#values = values;
    }
    return this.#tag;
  }
}
