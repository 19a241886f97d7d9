import type { CancelTimer, Clock } from "@nest/kit";

/**
 * Limits the time of a task: from acceptance on, whatever the agent prints (spec: Limits, task abandonment). Returns what
 * cancels it.
 */
export function startWatchdog(clock: Clock, limitMs: number, onTimeout: () => void): CancelTimer {
  return clock.after(limitMs, onTimeout);
}
