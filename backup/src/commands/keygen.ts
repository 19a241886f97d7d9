import type { Parts } from "../parts.ts";

const KEY_BYTES = 32;

/** `keygen`: a new key, 64 hexadecimal characters on standard output and nowhere else. */
export async function keygen(parts: Parts): Promise<0> {
  parts.print(parts.random.hex(KEY_BYTES));
  return 0;
}
