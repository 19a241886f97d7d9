import { createHmac } from "node:crypto";
import { Secret } from "@nest/kit";

/**
 * The dashboard token of a hosted nest, made out of the hub's master key: 64 hexadecimal characters that only this hub can make,
 * so that it need not be kept anywhere but in the nest's own Secret.
 */
export function dashboardToken(master: Uint8Array, nestId: string): Secret {
  return new Secret(createHmac("sha256", master).update(`nest dashboard token v1 ${nestId}`).digest("hex"));
}
