import {
  type ChannelConfig as AnyChannelConfig,
  ChannelName,
  channelSchema,
  type NotificationEvent,
  notificationEvents,
} from "@nest/protocol";
import { entriesByName, type ObjectMaker } from "./schema.ts";

/** `notifications`: where a nest tells what happened, by name. */
export function notificationsSchema(object: ObjectMaker) {
  return object({
    channels: entriesByName(ChannelName, channelSchema(object, notificationEvents)).refine(
      (all) => Object.keys(all).length <= 20,
      "at most 20 channels",
    ),
  });
}

export type ChannelConfig = AnyChannelConfig<NotificationEvent>;
