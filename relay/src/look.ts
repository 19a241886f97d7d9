import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Backend, findBinary } from "@nest/agents";
import type { Environment } from "@nest/kit";
import type { Look } from "./readiness.ts";
import { ownLogin } from "./secrets/own-secrets.ts";
import type { RelayConfig } from "./settings/config.ts";
import type { Terminal } from "./task/terminal.ts";

/** Checks whether the configured agent can work on this machine, as far as that can be seen without running it. */
export async function lookAt(config: RelayConfig, environment: Environment, terminal?: Terminal): Promise<Look> {
  const { agentCommand, backend, mode } = config;
  const command = agentCommand ?? backend.binary;
  const [binary, git, login] = await Promise.all([
    findBinary(command, environment.PATH),
    findBinary("git", environment.PATH),
    ownLogin(environment),
  ]);
  const named = agentCommand === undefined ? `${command} is not on PATH` : agentCommand;
  const trouble =
    mode === "headless" && backend.oneShot === undefined
      ? `backend ${backend.name} has no headless mode`
      : binary === undefined
        ? `agent command not found: ${named}`
        : ((await terminal?.trouble()) ??
          (git === undefined ? "git is not on PATH: no task could be cloned" : undefined) ??
          (agentCommand === undefined ? await expiredLogin(backend, environment) : undefined));
  return { binary, trouble, login: login?.kind };
}

/** Variables that sign the `claude` program in without a login of its own. */
const SIGNED_IN_BY = /^(?:ANTHROPIC_(?:API_KEY|AUTH_TOKEN)|CLAUDE_CODE_(?:OAUTH_TOKEN|USE_BEDROCK|USE_VERTEX))$/;

/**
 * Why the CLI's own login no longer works; undefined where it works, or where that cannot be seen. Only the file of the
 * `claude` program shows a login that has expired and cannot renew itself.
 */
async function expiredLogin(backend: Backend, environment: Environment): Promise<string | undefined> {
  if (backend.name !== "claude" || backend.credentialVariables.some((name) => isSet(environment, name)))
    return undefined;
  const folder = environment.CLAUDE_CONFIG_DIR || join(environment.HOME || homedir(), ".claude");
  const text = await readFile(join(folder, ".credentials.json"), "utf8").catch(() => "{}");
  const { expiresAt, refreshToken } = loginIn(text);
  if (typeof expiresAt !== "number" || expiresAt > Date.now() || refreshToken) return undefined;
  return "the login of claude has expired: start claude once and sign in";
}

function isSet(environment: Environment, name: string): boolean {
  return SIGNED_IN_BY.test(name) && Boolean(environment[name]);
}

function loginIn(text: string): { readonly expiresAt?: unknown; readonly refreshToken?: unknown } {
  try {
    return (JSON.parse(text) as { claudeAiOauth?: object }).claudeAiOauth ?? {};
  } catch {
    return {};
  }
}
