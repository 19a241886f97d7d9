import type { nestAgents } from "@nest/protocol";
import { live, putAgent } from "./live.ts";

type NestAgent = nestAgents.NestAgent;

/**
 * Does something to an agent. The page shows at once what it will do; the answer takes the guess's place. If it fails, what was
 * there before is shown again, unless the stream has brought something newer.
 */
export async function actOnAgent(
  agent: NestAgent,
  guess: Partial<NestAgent>,
  send: () => Promise<{ readonly value: { readonly agent: NestAgent } }>,
): Promise<void> {
  const before = live.get().agents?.find(({ name }) => name === agent.name) ?? agent;
  const guessed = { ...before, ...guess };
  putAgent(guessed);
  try {
    putAgent((await send()).value.agent);
  } catch (thrown) {
    if (live.get().agents?.includes(guessed) === true) putAgent(before);
    throw thrown;
  }
}
