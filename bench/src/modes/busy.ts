import type { Watched } from "../load/watcher.ts";
import { Watcher } from "../load/watcher.ts";
import type { HubPeer } from "../peers/hub-peer.ts";
import { type CycleFigures, issuesAt, latencyOf } from "./cycles.ts";
import { seedFor } from "./seed.ts";
import { withHub } from "./with-hub.ts";

/** Issues in the queue at least, all of them read anew again and again. */
const QUEUED = 20_000;

/** The open loop of `latency` while the hub is busy with other things: the whole queue is rebuilt every moment, and an admin's page streams. */
export function measureBusy(hub: HubPeer, relays: number, perSecond: number, seconds: number) {
  const seed = { ...seedFor(relays, Math.max(QUEUED, issuesAt(perSecond, seconds))), rebuilds: true };
  return withHub(hub, seed, async (driven): Promise<CycleFigures & { readonly watched: Watched }> => {
    await using watcher = await Watcher.open(driven.server.place);
    const figures = await latencyOf(hub, driven, relays, perSecond, seconds);
    return { ...figures, watched: watcher.watched() };
  });
}
