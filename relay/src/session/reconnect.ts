import { backoffMs, type Random } from "@nest/kit";
import { closeCodes, type Durations } from "@nest/protocol";

/** How a connection ended. */
export interface EndedConnection {
  readonly code: number;
  /** How long it was authenticated; undefined when it never was. */
  readonly authenticatedMs: number | undefined;
}

export interface NextTry {
  readonly delayMs: number;
  /** Number of the try after this one, for the next decision. */
  readonly attempt: number;
}

/** A hub that restarts is back soon; everybody it had comes back within twice the first bound. */
const RESTART_SPREAD = 2;

/**
 * When to connect again: exponential with full jitter from 1 s to 60 s, started over only after 30 s of authenticated
 * uptime; a hub that said it restarts (1012) is tried after a short random time (spec: Limits; contract §4).
 */
export function nextTry(ended: EndedConnection, attempt: number, numbers: Durations, random: Random): NextTry {
  const stable = ended.authenticatedMs !== undefined && ended.authenticatedMs >= numbers.reconnectStableMs;
  const current = stable ? 0 : attempt;
  const bounds = { firstMs: numbers.reconnectFirstMs, longestMs: numbers.reconnectLongestMs };
  if (ended.code === closeCodes.restarting && ended.authenticatedMs !== undefined)
    return { delayMs: Math.round(random.fraction() * bounds.firstMs * RESTART_SPREAD), attempt: current };
  return { delayMs: backoffMs(current, bounds, random), attempt: current + 1 };
}
