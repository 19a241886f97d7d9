import { join } from "node:path";

/** The path of the demo's agent: give it as `NEST_AGENT_COMMAND`. It runs from a checkout only, with the Node installed there. */
export const DEMO_AGENT = join(import.meta.dirname, "demo-agent");
