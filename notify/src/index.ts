export type { ChannelStatus } from "./channel.ts";
export { type ChannelConfig, ChannelName, channelSchema, type ObjectMaker } from "./channel-schema.ts";
export { Channels, type ChannelsDeps } from "./channels.ts";
export { linkTo, type Message } from "./message.ts";
