const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The protocol's durations in milliseconds. */
export const durations = {
  /** Relay heartbeat, per hub. */
  heartbeatMs: 30 * SECOND,
  /** Progress report. */
  progressMs: 2 * MINUTE,
  /** Reconnect backoff: upper bound of the first wait. */
  reconnectFirstMs: SECOND,
  /** Reconnect backoff: the bound doubles up to this. */
  reconnectLongestMs: 60 * SECOND,
  /** Time connected and authenticated after which the backoff starts over. */
  reconnectStableMs: 30 * SECOND,
  /** The relay's own watchdog gives a task up after this. */
  watchdogMs: 30 * MINUTE,
  /** How long a lease lasts after the last accepted progress report. */
  leaseTtlMs: 30 * MINUTE,
  /** How often the hub looks for expired leases. */
  leaseSweepMs: 5 * SECOND,
  /** Hold on an issue after a lost connection, a hand-back or a requeue; none of these counts as a failure. */
  dropHoldMs: 10 * MINUTE,
  /** Hold on an issue after a failure. */
  failureHoldMs: 10 * MINUTE,
  /** Quarantine of an issue, and how long its failures are remembered. */
  quarantineMs: 6 * HOUR,
  /** Hold after a completion whose pull request was verified. */
  verifiedHoldMs: 168 * HOUR,
  /** Hold after the first completion without one; doubles up to `verifiedHoldMs`. */
  unverifiedHoldMs: 4 * HOUR,
  /** Quiet time after which the doubling is forgotten. */
  unverifiedForgetMs: 14 * 24 * HOUR,
  /** How long a pull request's claim on an issue lasts after it was last seen open. */
  claimTtlMs: 72 * HOUR,
  /** A failure this soon after acceptance counts toward the contributor's pause. */
  streakFailureMs: 60 * SECOND,
  /** The contributor's pause after a streak. */
  streakPauseMs: 10 * MINUTE,
  /** How long a relay waits before it asks again after `task_unavailable`. */
  askAgainMs: 30 * SECOND,
  /** Rolling windows of the tier limits. */
  hourWindowMs: HOUR,
  dayWindowMs: 24 * HOUR,
  /** How long a task held without a session name stays reserved for its relay after the connection was lost. */
  namelessKeptMs: MINUTE,
  /** Task credential: renewed this often while a task is held. */
  credentialRenewMs: 50 * MINUTE,
  /** A spoke without a heartbeat for this long is shown as offline. */
  registryStaleMs: 15 * MINUTE,
} as const;

export type Durations = { readonly [Name in keyof typeof durations]: number };

/** The protocol's durations divided by `scale`, for tests (`NEST_TEST_CLOCK_SCALE`). Never below 1 ms. */
export function scaleDurations(scale: number): Durations {
  const scaled = Object.entries(durations).map(([name, ms]) => [name, Math.max(1, Math.round(ms / scale))]);
  return Object.fromEntries(scaled) as Durations;
}

/** Transport times in milliseconds; under a test clock they never fall below {@link SHORTEST_TRANSPORT_MS}. */
export const transport = {
  /** A socket that has not authenticated by then is closed. */
  authDeadlineMs: 10 * SECOND,
  /** JSON and protocol pings, both directions. */
  pingMs: 30 * SECOND,
  /** A peer silent this long is gone: three missed pings. */
  silentPeerMs: 90 * SECOND,
  /** How long an older socket has to answer a ping when a newer one of the same name connects or claims its task. */
  probeMs: 5 * SECOND,
  /** The longest that a stopping hub waits for its relays before it exits. */
  drainMs: 2 * SECOND,
} as const;

export type TransportTimes = { readonly [Name in keyof typeof transport]: number };

const SHORTEST_TRANSPORT_MS = 2 * SECOND;

/** Transport times under a test clock. A peer still counts as silent after three missed pings. */
export function scaleTransport(scale: number): TransportTimes {
  const scaled = (ms: number) => Math.max(SHORTEST_TRANSPORT_MS, Math.round(ms / scale));
  const pingMs = scaled(transport.pingMs);
  return {
    authDeadlineMs: scaled(transport.authDeadlineMs),
    pingMs,
    silentPeerMs: 3 * pingMs,
    probeMs: scaled(transport.probeMs),
    drainMs: transport.drainMs,
  };
}

/** The largest frame, in bytes, that either side accepts; more closes the socket with 1009. */
export const MAX_FRAME_BYTES = 64 * 1024;

/** Consecutive counted failures that quarantine an issue; `permanent` counts as this many at once. */
export const QUARANTINE_AT = 3;

/** Counted failures in a row, each soon after acceptance, that pause a contributor. */
export const STREAK_AT = 3;

/** WebSocket close codes; docs/protocol.md says what a relay does on each. */
export const closeCodes = { normal: 1000, silent: 1001, policy: 1008, tooBig: 1009, restarting: 1012 } as const;
