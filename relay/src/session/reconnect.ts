import { backoffMs, type Random } from "@nest/kit";
import { closeCodes, type Durations } from "@nest/protocol";

export interface EndedConnection {
  readonly code: number;
  /** How long it was authenticated; undefined when it never was. */
  readonly authenticatedMs: number | undefined;
}

export interface NextTry {
  readonly delayMs: number;
  readonly attempt: number;
}

/** A restarting hub is back soon: its relays come back within twice the first bound. */
const RESTART_SPREAD = 2;

/**
 * When to connect again: exponential backoff with full jitter from 1 s to 60 s, reset only after 30 s of authenticated uptime.
 * A hub that closed with 1012 (restarting) is tried after a short random time.
 */
export function nextTry(ended: EndedConnection, attempt: number, numbers: Durations, random: Random): NextTry {
  const stable = ended.authenticatedMs !== undefined && ended.authenticatedMs >= numbers.reconnectStableMs;
  const current = stable ? 0 : attempt;
  const bounds = { firstMs: numbers.reconnectFirstMs, longestMs: numbers.reconnectLongestMs };
  if (ended.code === closeCodes.restarting && ended.authenticatedMs !== undefined)
    return { delayMs: Math.round(random.fraction() * bounds.firstMs * RESTART_SPREAD), attempt: current };
  return { delayMs: backoffMs(current, bounds, random), attempt: current + 1 };
}
