import { LoadClient } from "../load/load-client.ts";
import type { HubPeer, HubSeed, PreparedHub } from "../peers/hub-peer.ts";
import { endProcess, type ServerProcess } from "../process/child.ts";

/** A hub that runs with all its relays connected. */
export interface DrivenHub {
  readonly prepared: PreparedHub;
  readonly load: LoadClient;
  server: ServerProcess;
}

const CONNECT_WITHIN_MS = 180_000;

/** Starts a hub and a load client, connects `seed.tokens.length` relays unless told not to, and cleans up afterwards. */
export async function withHub<Result>(
  peer: HubPeer,
  seed: HubSeed,
  act: (hub: DrivenHub) => Promise<Result>,
  connect = true,
): Promise<Result> {
  const prepared = await peer.prepare(seed);
  try {
    await using load = new LoadClient();
    const hub: DrivenHub = { prepared, load, server: await prepared.start(0) };
    try {
      if (connect) await connectRelays(hub, seed);
      return await act(hub);
    } finally {
      await endProcess(hub.server.child, "SIGKILL");
    }
  } finally {
    await prepared.remove();
  }
}

/** Connects and authenticates every relay of the seed. */
export async function connectRelays({ load, server }: DrivenHub, seed: HubSeed): Promise<void> {
  await load.tell(
    { do: "connect", places: [server.place, ...(server.morePlaces ?? [])], tokens: seed.tokens },
    CONNECT_WITHIN_MS,
  );
}
