import type { CancelTimer, Clock } from "@nest/kit";
import { closeCodes, type TransportTimes } from "@nest/protocol";
import type { Session } from "./session.ts";

/** A ping period is divided into this many slots; each slot checks a share of the connections. */
const PING_SLOTS = 20;
/** Pings are sent a few at a time, with a pause between: hundreds of writes one after the other would delay every other relay. */
const PINGS_AT_A_TIME = 2;
const BETWEEN_PINGS_MS = 1;

/**
 * Pings every session once per ping period, and closes those that left three pings in a row unanswered. It counts missed pings
 * rather than elapsed time: after the host was suspended, elapsed time would disconnect every relay. Returns a function that
 * stops it.
 */
export function keepAlive(sessions: () => Iterable<Session>, clock: Clock, transport: TransportTimes): () => void {
  const mostUnanswered = Math.round(transport.silentPeerMs / transport.pingMs);
  let slot = 0;
  let stopSlot: CancelTimer = () => {};
  const stopSlots = clock.every(transport.pingMs / PING_SLOTS, () => {
    const due = [...sessions()].filter(({ nth }) => nth % PING_SLOTS === slot);
    slot = (slot + 1) % PING_SLOTS;
    const pingFrom = (from: number) => {
      const next = from + PINGS_AT_A_TIME;
      for (const session of due.slice(from, next)) ping(session, mostUnanswered);
      if (next < due.length) stopSlot = clock.after(BETWEEN_PINGS_MS, () => pingFrom(next));
    };
    pingFrom(0);
  });
  return () => {
    stopSlots();
    stopSlot();
  };
}

function ping(session: Session, mostUnanswered: number): void {
  if (session.unanswered >= mostUnanswered) session.close(closeCodes.silent, "silent peer");
  else session.ping();
}
