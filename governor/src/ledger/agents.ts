import { readdir } from "node:fs/promises";
import { isAbsent } from "@nest/kit";

/** An agent's name is the name of its folder. */
const AGENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Whether a name may be an agent's: nothing that leads out of the folder of all ledgers. */
export function isAgentName(name: string): boolean {
  return AGENT.test(name);
}

/** The agents that have a ledger below `<data>/beads`, in the order of their names; links are none. */
export async function agentsWithLedger(beadsFolder: string): Promise<string[]> {
  try {
    const entries = await readdir(beadsFolder, { withFileTypes: true });
    return entries.flatMap((entry) => (entry.isDirectory() && isAgentName(entry.name) ? [entry.name] : [])).sort();
  } catch (thrown) {
    if (isAbsent(thrown)) return [];
    throw thrown;
  }
}
