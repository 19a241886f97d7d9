import { nestNotifications } from "@nest/protocol";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../shared/call/call.ts";

export type Channel = nestNotifications.NotificationChannel;

/** Under which it is kept how the channels do. */
export const CHANNELS = ["notifications"];

/** How the channels do, by name; undefined until the nest has said it. */
export function useChannels(): ReadonlyMap<string, Channel> | undefined {
  const { data } = useQuery({
    queryKey: CHANNELS,
    queryFn: async ({ signal }) => (await call(nestNotifications.notifications, { signal })).value.channels,
  });
  return data && new Map(data.map((channel) => [channel.name, channel]));
}
