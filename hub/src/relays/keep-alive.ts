import type { Clock } from "@nest/kit";
import { closeCodes, type TransportTimes } from "@nest/protocol";
import type { Session } from "./session.ts";

/** Liveness is looked at this many times a ping period, a share of the sockets each time. */
const PING_SLOTS = 20;
/** A few in each turn of the loop: hundreds of writes at once would keep every other relay waiting. */
const PINGS_A_TURN = 8;

/**
 * Pings every session once a ping period and cuts those that left three pings in a row unanswered (contract §8, Relay 1: silent
 * peer = 3 × ping). Pings are counted and not hours, so that a hub that slept does not take it for the silence of its relays.
 * Answers with how to stop it.
 */
export function keepAlive(sessions: () => Iterable<Session>, clock: Clock, transport: TransportTimes): () => void {
  let slot = 0;
  return clock.every(transport.pingMs / PING_SLOTS, () => {
    const due = [...sessions()].filter(({ nth }) => nth % PING_SLOTS === slot);
    slot = (slot + 1) % PING_SLOTS;
    ping(due, 0, Math.round(transport.silentPeerMs / transport.pingMs));
  });
}

function ping(due: readonly Session[], from: number, mostUnanswered: number): void {
  for (const session of due.slice(from, from + PINGS_A_TURN)) {
    if (session.unanswered >= mostUnanswered) session.close(closeCodes.silent, "silent peer");
    else session.ping();
  }
  if (from + PINGS_A_TURN < due.length) setImmediate(() => ping(due, from + PINGS_A_TURN, mostUnanswered));
}
