import { access } from "node:fs/promises";
import { findBinary, type ProbeDeps, probeVersion } from "@nest/agents";
import type { Environment } from "@nest/kit";
import { cleanFacts, type DeclaredFacts, PROTOCOL_VERSION } from "@nest/protocol";
import { ownLogin } from "../secrets/own-secrets.ts";
import type { RelayConfig } from "../settings/config.ts";

export interface Machine {
  readonly environment: Environment;
  /** Absolute path of the agent's program; undefined when there is none. */
  readonly binary: string | undefined;
  /** What the version probe runs with. */
  readonly probe: ProbeDeps;
}

/**
 * The facts that this relay declares to hubs, probed once at start. A fact whose probe fails is left out.
 */
export async function probeFacts(config: RelayConfig, machine: Machine): Promise<DeclaredFacts> {
  const [containerRuntime, version, credentialType] = await Promise.all([
    containerRuntimeOf(config, machine.environment),
    machine.binary === undefined
      ? undefined
      : probeVersion(machine.binary, config.backend.versionArgs, machine.probe).catch(() => undefined),
    credentialTypeOf(config, machine.environment),
  ]);
  return cleanFacts({
    container_runtime: containerRuntime,
    os: process.platform,
    arch: process.arch,
    agent_cli_version: version,
    relay_protocol_version: PROTOCOL_VERSION,
    credential_type: credentialType,
  });
}

/** Docker first, then podman, unless one is forced. */
async function containerRuntimeOf(config: RelayConfig, environment: Environment): Promise<string> {
  if (config.containerRuntime !== undefined) return config.containerRuntime;
  for (const name of ["docker", "podman"]) if ((await findBinary(name, environment.PATH)) !== undefined) return name;
  return "none";
}

/**
 * The kind of code-host credential, never the credential itself: a hub's token, a personal token or a login; unknown without
 * evidence.
 */
async function credentialTypeOf(config: RelayConfig, environment: Environment): Promise<string | undefined> {
  if (config.tokenCacheFile !== undefined && (await isThere(config.tokenCacheFile))) return "app";
  return (await ownLogin(environment))?.kind;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
