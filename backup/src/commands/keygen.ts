import type { BackupDeps } from "../deps/deps.ts";

const KEY_BYTES = 32;

/** `keygen`: prints a new key, 64 hexadecimal characters, to standard output only. */
export async function keygen(deps: BackupDeps): Promise<0> {
  deps.print(deps.random.hex(KEY_BYTES));
  return 0;
}
