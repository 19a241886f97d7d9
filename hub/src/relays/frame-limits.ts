import { closeCodes } from "@nest/protocol";
import type { Session } from "./session.ts";

/** A client that sends this many unreadable frames is no relay. */
const MOST_MALFORMED = 1000;
/**
 * Maximum bytes in the flood window: a real relay sends a few kilobytes every two minutes, and reading a frame costs time
 * whatever its content.
 */
const FLOOD_BYTES = 16 * 1024 * 1024;
const FLOOD_WITHIN_MS = 10_000;
/** Maximum number of frames before authentication. */
const MOST_EARLY_FRAMES = 4;
const MAX_EARLY_FRAME_BYTES = 4096;

/**
 * Counts a frame of `bytes` against its session's limits, and closes a session that exceeds them. False: do not read the
 * frame. Counts the address with `strangers` when an unauthenticated client sends more than a handshake needs.
 */
export function mayBeRead(
  session: Session,
  bytes: number,
  now: number,
  strangers: { count(address: string): unknown },
): boolean {
  return session.relayIdentity === undefined ? isHandshake(session, bytes, strangers) : !isFlood(session, bytes, now);
}

/** Counts an unreadable frame; closes a session that sent too many. Returns true for the first. */
export function countMalformed(session: Session): boolean {
  session.malformed += 1;
  if (session.malformed >= MOST_MALFORMED) session.close(closeCodes.policy, "too many malformed frames");
  return session.malformed === 1;
}

/** Before authentication, only a few small frames are allowed. */
function isHandshake(session: Session, bytes: number, strangers: { count(address: string): unknown }): boolean {
  session.early += 1;
  const isTooLong = bytes > MAX_EARLY_FRAME_BYTES;
  if (!isTooLong && session.early <= MOST_EARLY_FRAMES) return true;
  strangers.count(session.address);
  if (isTooLong) session.close(closeCodes.tooBig, "a frame before authentication is longer than 4 KiB");
  else session.close(closeCodes.policy, "too many frames before authentication");
  return false;
}

/** Whether a relay sends far more than its work needs. */
function isFlood(session: Session, bytes: number, now: number): boolean {
  if (now >= session.heardFrom + FLOOD_WITHIN_MS) Object.assign(session, { heardFrom: now, heardBytes: 0 });
  session.heardBytes += bytes;
  if (session.heardBytes <= FLOOD_BYTES) return false;
  session.close(closeCodes.policy, "more than 16 MiB within ten seconds");
  return true;
}
