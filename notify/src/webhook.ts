import { createHmac } from "node:crypto";
import { type Deliver, failed } from "./delivery.ts";
import { post } from "./post.ts";

/**
 * Posts a message as JSON. `X-Nest-Signature-256` is the HMAC of the body by the channel's secret; moment and id of the delivery are
 * in the body too, so that the signature covers them.
 */
export const deliverToWebhook: Deliver<"webhook"> = async ({ id, message, sender }, { url, key }, deps) => {
  if (key === undefined) return failed("it has no secret yet to sign with", true);
  const timestamp = new Date(deps.clock.now()).toISOString();
  const body = JSON.stringify({ delivery: id, timestamp, [`${sender.kind}_id`]: sender.id, ...message });
  const signature = createHmac("sha256", key.reveal()).update(body).digest("hex");
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "user-agent": "nest",
    "x-nest-delivery": id,
    "x-nest-event": message.event,
    "x-nest-timestamp": timestamp,
    "x-nest-signature-256": `sha256=${signature}`,
  };
  return post(url, { headers, body }, deps);
};
