import type { HubPlace } from "./bench-relay.ts";

/** What the bench tells its load process; each is answered once. */
export type LoadCommand =
  | { readonly do: "connect"; readonly places: readonly HubPlace[]; readonly tokens: readonly string[] }
  | { readonly do: "closed"; readonly warmupMs: number; readonly measureMs: number }
  | { readonly do: "open"; readonly perSecond: number; readonly warmupMs: number; readonly measureMs: number }
  /** A fleet at work from now on, while `sample` measures it. */
  | { readonly do: "shift"; readonly eventsPerSecond: number; readonly holdMs: number }
  | { readonly do: "sample"; readonly measureMs: number }
  | { readonly do: "hold"; readonly count: number }
  | { readonly do: "recover"; readonly withinMs: number }
  | { readonly do: "finish"; readonly withinMs: number };

/** Latencies in milliseconds. */
export interface Latencies {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

/** What the load process answers; times that two processes compare are milliseconds since 1970. */
export interface LoadAnswer {
  readonly connected?: number;
  readonly cycles?: number;
  readonly perSecond?: number;
  readonly readyToAssign?: Latencies;
  /** Every latency of a sample, in milliseconds. */
  readonly samples?: readonly number[];
  /** Anything that was not the plain course of things, by reason. */
  readonly odd: Readonly<Record<string, number>>;
  readonly held?: number;
  readonly lastAuthenticatedAt?: number;
  readonly lastResumedAt?: number;
  readonly resumed?: number;
  readonly lost?: number;
  readonly doubled?: number;
  readonly acknowledged?: number;
  readonly dials?: number;
}
