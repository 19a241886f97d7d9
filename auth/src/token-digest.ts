import { createHash } from "node:crypto";

/** The SHA-256 of a registration token in lowercase hexadecimal. The hub stores this and not the token. */
export function tokenDigest(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
