import { createHmac, timingSafeEqual } from "node:crypto";
import type { Secret } from "@nest/kit";

/**
 * Whether a webhook's body really comes from the platform: `signature` is the `X-Hub-Signature-256` header, `sha256=<hex>`. The
 * body must be the bytes as they came. Takes the same time whatever part of the signature is wrong.
 */
export function verifyWebhook(secret: Secret, body: string | Uint8Array, signature: string | undefined): boolean {
  if (signature === undefined || !/^sha256=[0-9a-fA-F]{64}$/.test(signature)) return false;
  const given = Buffer.from(signature.slice("sha256=".length), "hex");
  const right = createHmac("sha256", secret.reveal()).update(body).digest();
  return timingSafeEqual(given, right);
}
