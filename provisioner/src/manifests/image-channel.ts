import { pullPolicy } from "./deployment.ts";

/** A channel is a tag that moves, such as `stable`, on a registry: another image may be behind it tomorrow. */
export function isChannel(image: string): boolean {
  return pullPolicy(image) === "Always";
}

/** The image that a channel means now: what it is called, and what cannot change any more. */
export function pinned(channel: string, digest: string): string {
  return `${channel}@${digest}`;
}

/** The name of an image without its digest. */
export function nameOf(image: string): string {
  return image.split("@", 1)[0] ?? image;
}

/** The digest at the end of an image's name, or of what a pod says it runs; undefined where there is none. */
export function digestIn(image: string | undefined): string | undefined {
  return /@(sha256:[0-9a-f]{64})$/.exec(image ?? "")?.[1];
}
