import { join } from "node:path";
import { type Environment, NestError, UsageError, variable } from "@nest/kit";
import { isAgentName } from "../agents.ts";

/** Where a command works, and as whom. */
export interface Place {
  readonly folder: string;
  readonly agent: string;
  /** Who writes: the agent that runs the command, also when it writes into another's ledger. */
  readonly actor: string;
}

/**
 * The ledger that a command is about: of `-agent`, else of `NEST_AGENT_NAME`, below `NEST_BEADS_DIR`, else `<NEST_DATA_DIR>/beads`.
 *
 * @throws UsageError when nobody is named, or by no possible name.
 */
export function placeOf(environment: Environment, agentFlag: string | undefined): Place {
  const own = variable(environment, "NEST_AGENT_NAME");
  const agent = agentFlag ?? own;
  const hint = "set NEST_AGENT_NAME, or say -agent NAME";
  if (agent === undefined) throw new UsageError("whose ledger? no agent is named", { hint });
  if (!isAgentName(agent)) throw new UsageError("the agent's name is not one: letters, digits, . _ - only", { hint });
  const beads =
    variable(environment, "NEST_BEADS_DIR") ?? join(variable(environment, "NEST_DATA_DIR") ?? "/data", "beads");
  return { folder: join(beads, agent), agent, actor: own ?? agent };
}

export function ledgerAbsent({ agent, folder }: Place): NestError<"ledger_absent"> {
  return new NestError("ledger_absent", `${agent} has no ledger: there is no folder ${folder}`, {
    hint: "nest beads create begins one; NEST_BEADS_DIR and -agent say where it is looked for",
  });
}
