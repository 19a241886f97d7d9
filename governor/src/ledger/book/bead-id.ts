import type { Random } from "@nest/kit";

/** Digits and letters that nobody mistakes for another: no i, l, o, u. */
const LETTERS = "0123456789abcdefghjkmnpqrstvwxyz";
/** 50 bits: of 100,000 beads in all ledgers of a nest, two have the same id once in 200,000 nests. */
const LENGTH = 10;

/** A new bead's id, as `nest-7f3k9a2mxd`. */
export function newBeadId(random: Random): string {
  const bytes = Buffer.from(random.hex(LENGTH), "hex");
  return `nest-${Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join("")}`;
}
