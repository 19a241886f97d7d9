import { UsageError } from "@nest/kit";
import { findBubblewrap, inOwnProcesses } from "./bubblewrap.ts";
import type { Confinement } from "./sandbox.ts";

/** What decides how agents are confined. */
export interface ConfinementChoice {
  /** Whether we run in a container ourselves. */
  readonly inContainer: boolean;
  /** `NEST_SANDBOX`. */
  readonly sandbox: "auto" | "bubblewrap" | "off";
  /** `NEST_AGENT_COMMAND`. */
  readonly agentCommand: string | undefined;
}

const OWN_PROGRAM = "NEST_AGENT_COMMAND is a program of your own; NEST_SANDBOX=bubblewrap confines it";

/**
 * How our agents are kept from the rest of the machine: by bubblewrap where it works, else by the container that we
 * run in, else by nothing, with the reason. A program of the person's own (`NEST_AGENT_COMMAND`) gets a sandbox
 * only when asked for, because only that person knows what it needs; its processes are kept together all the same.
 *
 * @throws UsageError when `NEST_SANDBOX=bubblewrap` asks for what this machine cannot do.
 */
export async function confinementOf(config: ConfinementChoice, path: string | undefined): Promise<Confinement> {
  const without = config.inContainer ? "container" : "none";
  if (config.sandbox === "off") return { kind: without, runs: "loose", because: "NEST_SANDBOX is off" };
  const found = await findBubblewrap(path, config.inContainer);
  if ("because" in found) {
    if (config.sandbox === "bubblewrap") throw new UsageError(`NEST_SANDBOX: ${found.because}`);
    return { kind: without, runs: "loose", because: found.because };
  }
  const bubblewrap = found.works;
  if (config.sandbox === "auto" && config.agentCommand !== undefined)
    return { kind: without, runs: "apart", bubblewrap, because: OWN_PROGRAM };
  return { kind: config.inContainer ? "container" : "bubblewrap", runs: "sandboxed", bubblewrap };
}

/** One sentence for people, which says so plainly where nothing confines an agent. */
export function confinementSentence(confinement: Confinement): string {
  const { kind, runs } = confinement;
  const processes =
    runs === "apart" ? "each run has processes of its own" : "a run's processes are found by search alone";
  if (runs === "sandboxed")
    return kind === "container"
      ? "agents are confined to this container, each run by bubblewrap: a private home, processes of its own"
      : "agents are confined by bubblewrap: they write to their task's folder and to a private copy of the CLI's login, and your home is hidden";
  if (kind === "container" && runs === "apart")
    return `agents are confined to this container; ${processes}: ${confinement.because}`;
  if (kind === "container")
    return `warning: agents are confined to this container, but share it with this program and ${processes}: ${confinement.because}`;
  return `warning: agents are NOT confined and can reach what you can; ${processes}: ${confinement.because}`;
}

/** The confinement in a word or two, for the status line. */
export function confinementWord({ kind }: Confinement): string {
  return kind === "none" ? "agent not confined" : `agent in ${kind}`;
}

/** How the agent's program is run outside of a task (its version probe): in its own process namespace where that can be. */
export function apartFrom(confinement: Confinement): {
  readonly apart: ((argv: readonly string[]) => readonly string[]) | undefined;
  readonly loose: boolean;
} {
  if (confinement.runs === "loose") return { apart: undefined, loose: true };
  const { bubblewrap } = confinement;
  return { apart: (argv) => inOwnProcesses(bubblewrap, argv), loose: false };
}
