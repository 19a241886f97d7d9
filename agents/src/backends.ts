import { agy } from "./backends/agy.ts";
import { aider } from "./backends/aider.ts";
import { bob } from "./backends/bob.ts";
import { claude } from "./backends/claude.ts";
import { codex } from "./backends/codex.ts";
import { copilot } from "./backends/copilot.ts";
import { goose } from "./backends/goose.ts";
import { litellm } from "./backends/litellm.ts";
import { pi } from "./backends/pi.ts";
import type { Backend } from "./cli/backend.ts";

/** Every `AGENT_BACKEND` (spec: Relay environment), in the order of the spec. */
export const backends: readonly Backend[] = [claude, copilot, goose, bob, codex, pi, aider, litellm, agy];

/** The backend of that name, or undefined. */
export function backendOf(name: string): Backend | undefined {
  return backends.find((backend) => backend.name === name);
}
