/** What the verdict looks at. */
export interface Pulse {
  readonly bootedAt: number;
  readonly lastSuccessAt: number | undefined;
  readonly lastAttemptAt: number | undefined;
  /** `attempts`: a hub that is down for long does not make the spoke unwell, only a loop that stands still does. */
  readonly judgedBy: "success" | "attempts";
  readonly staleMs: number;
}

export type Liveness = { readonly status: "ok" } | { readonly status: "unhealthy"; readonly detail: string };

/**
 * Whether the spoke does its work, judged by its heartbeats (spec: `/api/livez`). Boot counts as a beat, which is the grace;
 * a spoke without a hub has no heartbeat that could be stale.
 */
export function liveness(pulse: Pulse | undefined, now: number): Liveness {
  if (pulse === undefined) return { status: "ok" };
  const last = pulse.judgedBy === "success" ? pulse.lastSuccessAt : pulse.lastAttemptAt;
  if (now - (last ?? pulse.bootedAt) < pulse.staleMs) return { status: "ok" };
  const seconds = Math.floor((now - (last ?? pulse.bootedAt)) / 1000);
  const what = pulse.judgedBy === "success" ? "no heartbeat was accepted" : "no heartbeat was tried";
  return { status: "unhealthy", detail: `${what} for ${seconds} s` };
}
