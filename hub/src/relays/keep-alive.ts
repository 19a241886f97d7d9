import type { Clock } from "@nest/kit";
import { closeCodes, type TransportTimes } from "@nest/protocol";
import type { Session } from "./session.ts";

/** A ping period is divided into this many slots; each slot checks a share of the connections. */
const PING_SLOTS = 20;
/** Pings sent in one turn of the event loop: hundreds of writes at once would delay every other relay. */
const PINGS_A_TURN = 8;

/**
 * Pings every session once per ping period, and closes those that left three pings in a row unanswered. It counts missed pings
 * rather than elapsed time: after the host was suspended, elapsed time would disconnect every relay. Returns a function that
 * stops it.
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
