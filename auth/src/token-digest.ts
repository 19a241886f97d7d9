import { createHash } from "node:crypto";

/** SHA-256 of a registration token, lowercase hexadecimal: all that the hub keeps of it. */
export function tokenDigest(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
