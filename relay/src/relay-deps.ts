import type { AgentRun, AgentStart, Confinement, KnownSecrets, RunJournal } from "@nest/agents";
import type { Clock, Environment, Random } from "@nest/kit";
import type { Durations, TransportTimes } from "@nest/protocol";
import type { Console } from "./console/console.ts";
import type { StatusFile } from "./console/status-file.ts";
import type { Look } from "./readiness.ts";
import type { AcceptedLogins } from "./session/accepted-logins.ts";
import type { Introduction } from "./session/auth.ts";
import type { RelayConfig } from "./settings/config.ts";

/** What a relay needs of its surroundings: its configuration, this machine, time and the network. */
export interface RelayDeps {
  readonly config: RelayConfig;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly random: Random;
  readonly numbers: Durations;
  readonly transport: TransportTimes;
  readonly introduction: Omit<Introduction, "trouble">;
  readonly secrets: KnownSecrets;
  readonly logins: AcceptedLogins;
  readonly console: Console;
  /** Absent in interactive mode. */
  readonly statusFile: StatusFile | undefined;
  readonly journal: RunJournal;
  /** The result of the first check of this machine, and the way to check again. */
  readonly found: Look;
  readonly look: () => Promise<Look>;
  readonly confinement: Confinement;
  /** What a person types to watch the agent; undefined where nobody can. */
  readonly attach: string | undefined;
  readonly startAgent: (start: AgentStart) => Promise<AgentRun>;
}
