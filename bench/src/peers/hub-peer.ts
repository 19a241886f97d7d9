import type { ServerProcess } from "../process/child.ts";

/** What a hub under test is given. */
export interface HubSeed {
  /** Registration tokens, 64 hexadecimal characters each: one contributor a relay. */
  readonly tokens: readonly string[];
  /** Issues on offer: more than a run can hand out. */
  readonly issues: number;
  /** Every issue changes and is read anew, again and again. */
  readonly rebuilds?: boolean;
}

/** A hub that the load client can drive. */
export interface HubPeer {
  readonly name: string;
  /** Prepares an empty folder's worth of state; `start` may be called again on it after a crash. */
  prepare(seed: HubSeed): Promise<PreparedHub>;
}

export interface PreparedHub {
  start(port: number): Promise<ServerProcess>;
  remove(): Promise<void>;
}
