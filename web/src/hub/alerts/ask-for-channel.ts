import type { alerts } from "@nest/protocol";
import { withPart } from "../../shared/lazy/lazy-part.ts";

// The forms come when they are asked for.

/** Asks for a new channel, or for changes of one. */
export function askForChannel(channel?: alerts.AlertChannel): void {
  withPart(
    () => import("./channel-form.tsx"),
    ({ openChannelForm }) => openChannelForm(channel),
  );
}

/** Asks for a channel's secret. */
export function askForSecret(channel: alerts.AlertChannel): void {
  withPart(
    () => import("./secret-form.tsx"),
    ({ openSecretForm }) => openSecretForm(channel),
  );
}
