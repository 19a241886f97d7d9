import { type Confinement, findBubblewrap } from "@nest/agents";
import { UsageError } from "@nest/kit";
import type { RelayConfig } from "./config.ts";

/**
 * What keeps this relay's agents from the rest of the machine: the container it runs in, else bubblewrap where the machine
 * has it, else nothing, with the reason. A program of the contributor's own (`NEST_AGENT_COMMAND`) is confined only when
 * asked for: nobody else knows what it needs.
 *
 * @throws UsageError when `NEST_SANDBOX=bubblewrap` asks for what this machine cannot do.
 */
export async function confinementOf(config: RelayConfig, path: string | undefined): Promise<Confinement> {
  if (config.inContainer) return { kind: "container" };
  if (config.sandbox === "off") return { kind: "none", because: "NEST_SANDBOX is off" };
  if (config.sandbox === "auto" && config.agentCommand !== undefined)
    return {
      kind: "none",
      because: "NEST_AGENT_COMMAND is a program of your own; NEST_SANDBOX=bubblewrap confines it",
    };
  const found = await findBubblewrap(path);
  if (found.kind === "none" && config.sandbox === "bubblewrap") throw new UsageError(`NEST_SANDBOX: ${found.because}`);
  return found;
}

/** One sentence for the contributor; plain about it where nothing confines an agent. */
export function confinementSentence(confinement: Confinement): string {
  switch (confinement.kind) {
    case "container":
      return "agents are confined to this container";
    case "bubblewrap":
      return "agents are confined by bubblewrap: they write to their task's folder and the CLI's own, and your home is hidden";
    case "none":
      return `warning: agents are NOT confined and can reach what you can: ${confinement.because}`;
  }
}

/** The same in a word or two, for the status line. */
export function confinementWord(confinement: Confinement): string {
  return confinement.kind === "none" ? "agent not confined" : `agent in ${confinement.kind}`;
}
