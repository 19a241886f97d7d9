import { closeCodes } from "@nest/protocol";
import type { Session } from "./session.ts";

/** A relay that sends this many frames nobody can read is not a relay. */
const MOST_MALFORMED = 1000;
/** A relay reports some kilobytes every two minutes. Reading frames costs the hub's time, whatever is in them. */
const FLOOD_BYTES = 16 * 1024 * 1024;
const FLOOD_WITHIN_MS = 10_000;
/** What a socket may send before it has said who it is (contract §8, Wire 17). */
const MOST_EARLY_FRAMES = 4;
const MAX_EARLY_FRAME_BYTES = 4096;

/**
 * Counts a frame of `bytes` against what its session may send, and closes a session that sent more. False: the frame is not to
 * be read. `onEarly` is told of a stranger who sends more than a handshake needs.
 */
export function mayBeRead(session: Session, bytes: number, now: number, onEarly: (address: string) => void): boolean {
  return session.relayIdentity === undefined ? isHandshake(session, bytes, onEarly) : !isFlood(session, bytes, now);
}

/** Counts a frame that could not be read; closes a session that sent too many. True for the first one. */
export function countMalformed(session: Session): boolean {
  session.malformed += 1;
  if (session.malformed >= MOST_MALFORMED) session.close(closeCodes.policy, "too many malformed frames");
  return session.malformed === 1;
}

/** Before authentication: few frames, and small ones. */
function isHandshake(session: Session, bytes: number, onEarly: (address: string) => void): boolean {
  session.early += 1;
  const isTooLong = bytes > MAX_EARLY_FRAME_BYTES;
  if (!isTooLong && session.early <= MOST_EARLY_FRAMES) return true;
  onEarly(session.address);
  if (isTooLong) session.close(closeCodes.tooBig, "a frame before authentication is longer than 4 KiB");
  else session.close(closeCodes.policy, "too many frames before authentication");
  return false;
}

/** Whether a relay sends more than any relay has to say. */
function isFlood(session: Session, bytes: number, now: number): boolean {
  if (now >= session.heardFrom + FLOOD_WITHIN_MS) Object.assign(session, { heardFrom: now, heardBytes: 0 });
  session.heardBytes += bytes;
  if (session.heardBytes <= FLOOD_BYTES) return false;
  session.close(closeCodes.policy, "more than 16 MiB within ten seconds");
  return true;
}
