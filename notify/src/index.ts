export type { ChannelStatus } from "./channel.ts";
export { Channels, type ChannelsDeps } from "./channels.ts";
export { linkTo, type Message } from "./message.ts";
export { placeOf } from "./secret-store.ts";
export type { OneOfSeveral } from "./waiting.ts";
