import { findBinary } from "@nest/agents";
import type { Environment } from "@nest/kit";
import type { RelayConfig } from "./config.ts";
import { ownLogin } from "./own-secrets.ts";
import type { Look } from "./readiness.ts";
import type { Terminal } from "./terminal.ts";

/** Looks whether the configured agent can work on this machine, as far as that shows without running it. */
export async function lookAt(config: RelayConfig, environment: Environment, terminal?: Terminal): Promise<Look> {
  const { agentCommand, backend, mode } = config;
  const command = agentCommand ?? backend.binary;
  const [binary, login] = await Promise.all([findBinary(command, environment.PATH), ownLogin(environment)]);
  const named = agentCommand === undefined ? `${command} is not on PATH` : agentCommand;
  const trouble =
    mode === "headless" && backend.oneShot === undefined
      ? `backend ${backend.name} has no headless mode`
      : binary === undefined
        ? `agent command not found: ${named}`
        : await terminal?.trouble();
  return { binary, trouble, login: login?.kind };
}
