import type { nestAgents, PauseCause } from "@nest/protocol";

/** A pause of an agent. Times are milliseconds since 1970. */
export interface Pause {
  readonly cause: PauseCause;
  /** The person, for the cause `person`. */
  readonly by: string | undefined;
  readonly reason: string;
  readonly since: number;
  /** When it ends by itself; undefined where a person has to end it. */
  readonly until: number | undefined;
}

/** Whether a pause still holds. */
export function isInForce(pause: Pause | undefined, now: number): pause is Pause {
  return pause !== undefined && (pause.until === undefined || now < pause.until);
}

/** A pause as the dashboard is told of it. */
export function pauseView({ cause, by, reason, since, until }: Pause): nestAgents.AgentPause {
  return {
    cause,
    ...(by === undefined ? {} : { by }),
    reason,
    since: new Date(since).toISOString(),
    ...(until === undefined ? {} : { until: new Date(until).toISOString() }),
  };
}
