import type { Secret } from "@nest/kit";
import type { ChannelConfig } from "@nest/protocol";
import type { DeliveryDeps, Envelope, Outcome } from "./delivery.ts";
import { deliverByEmail } from "./email.ts";
import { deliverToNtfy } from "./ntfy.ts";
import { deliverToSlack } from "./slack.ts";
import { deliverToWebhook } from "./webhook.ts";

/** Sends one message once, in the way of the channel's kind. */
export function deliver(
  envelope: Envelope,
  channel: ChannelConfig & { readonly key: Secret | undefined },
  deps: DeliveryDeps,
): Promise<Outcome> {
  switch (channel.kind) {
    case "webhook":
      return deliverToWebhook(envelope, channel, deps);
    case "slack":
      return deliverToSlack(envelope, channel, deps);
    case "ntfy":
      return deliverToNtfy(envelope, channel, deps);
    case "email":
      return deliverByEmail(envelope, channel, deps);
  }
}
