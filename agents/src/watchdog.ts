import type { CancelTimer, Clock } from "@nest/kit";

/**
 * The relay's own bound on a task: flat, counted from acceptance, whatever the agent prints (spec: Limits, task
 * abandonment). Returns what calls it off.
 */
export function startWatchdog(clock: Clock, limitMs: number, onTimeout: () => void): CancelTimer {
  return clock.after(limitMs, onTimeout);
}
