import type { Clock, Log } from "@nest/kit";
import type { nestAgents, nestRuns } from "@nest/protocol";
import type { AgentDeps } from "./agents/agent.ts";
import type { StartRun } from "./agents/run-port.ts";
import type { ActivityFeed } from "./feed/activity-feed.ts";
import type { StateFile } from "./nest-state.ts";
import type { RunStore } from "./runs/run-store.ts";
import type { Scanner } from "./work/scan.ts";
import type { WorkLedger } from "./work/work-ledger.ts";

export interface GovernorDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly scanner: Scanner;
  readonly state: StateFile;
  readonly runs: RunStore;
  readonly feed: ActivityFeed;
  readonly ledger: WorkLedger;
  readonly startRun: StartRun;
  /** Ends an agent's terminal session, so that the next run gets a new one. */
  readonly endSession: (agent: string) => Promise<void>;
  /** Why the code host cannot be reached at all, where it is not configured yet: no agent works then. */
  readonly trouble?: string | undefined;
  readonly watchTimes?: AgentDeps["watchTimes"];
}

/** What changed, for whoever shows it. */
export type GovernorChange =
  | { readonly kind: "agent"; readonly agent: nestAgents.NestAgent }
  | { readonly kind: "agent gone"; readonly name: string }
  | { readonly kind: "run"; readonly run: nestRuns.Run }
  | { readonly kind: "governor" };
