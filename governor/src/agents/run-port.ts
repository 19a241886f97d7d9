import type { Standstill } from "@nest/agents";
import type { nestRuns, RunOutcome } from "@nest/protocol";
import type { Allowance } from "../policy/acmm.ts";
import type { AgentSettings } from "../policy/settings.ts";
import type { Assignment } from "../runs/prompt.ts";

/** What a run is started with. */
export interface RunRequest {
  readonly agent: AgentSettings;
  readonly allowance: Allowance;
  readonly assignment: Assignment;
  readonly trigger: "schedule" | "person" | "restart";
  /** The person who asked for it. */
  readonly by: string | undefined;
}

/** Why a run is ended from outside. */
export interface EndOfRun {
  readonly outcome: RunOutcome;
  readonly summary: string;
}

/** A run that goes on. */
export interface ActiveRun {
  readonly record: nestRuns.Run;
  /** Settles when all processes of the run are gone and its record is on disk. Never rejects. */
  readonly ended: Promise<nestRuns.Run>;
  /** The last lines that the agent shows, masked. */
  tail(): Promise<string>;
  /** What the agent was told; empty before it is. */
  prompt(): string;
  /** Bytes printed since it began. */
  printed(): number;
  standstill(): Standstill | undefined;
  /** Whether the agent itself was started; until then its checkout is made. */
  hasBegun(): boolean;
  end(why: EndOfRun): Promise<void>;
}

/** Starts a run. Never throws for what an agent or its surroundings do wrong: such a run ends as `not_started`. */
export type StartRun = (request: RunRequest) => Promise<ActiveRun>;
