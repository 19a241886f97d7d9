import { createHash } from "node:crypto";
import type { HubSeed } from "../peers/hub-peer.ts";

/** The same tokens in every run; they open nothing but a hub in a temporary folder. */
export function seedFor(relays: number, issues: number): HubSeed {
  const tokens = Array.from({ length: relays }, (_, index) =>
    createHash("sha256").update(`bench relay ${index}`).digest("hex"),
  );
  return { tokens, issues };
}
