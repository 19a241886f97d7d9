import type { Clock } from "@nest/kit";
import { closeCodes, type TransportTimes } from "@nest/protocol";
import type { Session } from "./session.ts";

/** Liveness is looked at this many times a ping period, a share of the sockets each time. */
const PING_SLOTS = 20;
/** A few in each turn of the loop: hundreds of writes at once would keep every other relay waiting. */
const PINGS_A_TURN = 8;

/**
 * Pings every session once a ping period and cuts those that were silent for too long (contract §8, Relay 1). Answers with
 * how to stop it.
 */
export function keepAlive(sessions: () => Iterable<Session>, clock: Clock, transport: TransportTimes): () => void {
  let slot = 0;
  return clock.every(transport.pingMs / PING_SLOTS, () => {
    const due = [...sessions()].filter((_, place) => place % PING_SLOTS === slot);
    slot = (slot + 1) % PING_SLOTS;
    ping(due, 0, clock, transport);
  });
}

function ping(due: readonly Session[], from: number, clock: Clock, transport: TransportTimes): void {
  const now = clock.now();
  for (const session of due.slice(from, from + PINGS_A_TURN)) {
    if (now - session.lastHeardAt > transport.silentPeerMs) session.close(closeCodes.silent, "silent peer");
    else session.ping();
  }
  if (from + PINGS_A_TURN < due.length) setImmediate(() => ping(due, from + PINGS_A_TURN, clock, transport));
}
