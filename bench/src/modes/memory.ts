import type { HubPeer } from "../peers/hub-peer.ts";
import { residentKib } from "../process/child.ts";
import { seedFor } from "./seed.ts";
import { connectRelays, withHub } from "./with-hub.ts";

export interface MemoryFigures {
  readonly name: string;
  readonly relays: number;
  readonly perRelayKib: number;
  readonly wholeMib: number;
}

/** Resident memory that idle, authenticated relays cost: after a collection, with all of them less with none. */
export function measureMemory(peer: HubPeer, relays: number): Promise<MemoryFigures> {
  const seed = seedFor(relays, 1000);
  return withHub(
    peer,
    seed,
    async (hub) => {
      const before = (await residentKib(hub.server)) ?? Number.NaN;
      await connectRelays(hub, seed);
      const after = (await residentKib(hub.server)) ?? Number.NaN;
      return { name: peer.name, relays, perRelayKib: (after - before) / relays, wholeMib: after / 1024 };
    },
    false,
  );
}
