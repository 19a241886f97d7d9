import { createHmac } from "node:crypto";
import { Secret } from "@nest/kit";

/**
 * The key with which one nest sends its heartbeats, made out of the hub's heartbeat secret: hexadecimal HMAC-SHA256 of
 * `nest heartbeat v1 <nest id>`. A nest that has it can speak for no other.
 */
export function heartbeatKey(hubSecret: Secret, nestId: string): Secret {
  return new Secret(createHmac("sha256", hubSecret.reveal()).update(`nest heartbeat v1 ${nestId}`).digest("hex"));
}
