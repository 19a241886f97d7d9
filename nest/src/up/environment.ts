import { join } from "node:path";
import { DEMO_AGENT } from "@nest/demo-agent";
import type { Environment } from "@nest/kit";
import type { Choices } from "./choices.ts";
import type { Place } from "./place.ts";

/** What every program may see of this environment. */
export function baseEnvironment(environment: Environment, place: Place): Record<string, string> {
  const passed: Record<string, string> = { NEST_GITHUB_API_URL: place.apiUrl, NEST_GITHUB_URL: place.webUrl };
  for (const name of [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TERM",
    "TMPDIR",
    "TZ",
    "NODE_EXTRA_CA_CERTS",
    "NODE_COMPILE_CACHE",
    "NEST_LOG_LEVEL",
  ]) {
    const value = environment[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}

/** The relay's environment: secrets go here and never onto a command line. */
export function relayEnvironment(
  choices: Choices,
  place: Place,
  hubUrl: string,
  folder: string,
  contributorId: string,
  token: string,
): Record<string, string> {
  const demo = choices.backend === undefined;
  return {
    ...backendCredentials(process.env),
    NEST_HUB: `${hubUrl.replace(/^http/, "ws")}/contribute`,
    NEST_REGISTRATION_TOKEN: token,
    NEST_CONTRIBUTOR_ID: contributorId,
    AGENT_BACKEND: choices.backend ?? "claude",
    ...(choices.model === undefined ? {} : { AGENT_MODEL: choices.model }),
    CONTRIBUTOR_MODE: choices.interactive ? "interactive" : "headless",
    NEST_WORKSPACE: join(folder, "work"),
    NEST_HEADLESS_STATUS_FILE: join(folder, "status.json"),
    NEST_TASK_CONTEXT_FILE: join(folder, "task.json"),
    XDG_STATE_HOME: join(folder, "state"),
    ...(place.ownToken === undefined ? {} : { GH_TOKEN: place.ownToken }),
    ...(choices.backend !== undefined && process.env.NEST_AGENT_COMMAND !== undefined
      ? { NEST_AGENT_COMMAND: process.env.NEST_AGENT_COMMAND }
      : {}),
    ...(demo
      ? {
          NEST_AGENT_COMMAND: DEMO_AGENT,
          NEST_DEMO_PACE_MS: String(choices.paceMs),
          NEST_AGENT_ENV: "NEST_DEMO_PACE_MS",
        }
      : {}),
  };
}

/** The variables by which agent CLIs find their own credentials and settings; the relay passes each backend only its own. */
function backendCredentials(environment: Environment): Record<string, string> {
  const wanted =
    /^(?:ANTHROPIC|CLAUDE|CODEX|OPENAI|COPILOT|GOOSE|GEMINI|GOOGLE|BOB|PI|AIDER|NEST_LITELLM|XDG_CONFIG)_?/;
  const entries = Object.entries(environment).filter(([name, value]) => wanted.test(name) && value !== undefined);
  return Object.fromEntries(entries) as Record<string, string>;
}

/** The spoke's environment besides what every program sees: the demo's agents are a program of ours. */
export function spokeEnvironment(choices: Choices, place: Place): Record<string, string> {
  const token = place.hubEnvironment.GITHUB_TOKEN;
  return {
    ...(token === undefined ? {} : { GITHUB_TOKEN: token }),
    ...(place.nest === undefined
      ? backendCredentials(process.env)
      : {
          NEST_AGENT_COMMAND: DEMO_AGENT,
          NEST_DEMO_PACE_MS: String(choices.paceMs),
          NEST_AGENT_ENV: "NEST_DEMO_PACE_MS",
        }),
  };
}

/** The spoke's `nest.yaml`. */
export function spokeYaml(place: Place, hubUrl: string): object {
  const { project, github } = place.hubYaml as { project: { readonly repos: readonly string[] }; github: object };
  const { repos = project.repos, agents = {}, governor = {}, acmmLevel = 2 } = place.nest ?? {};
  return {
    project: { ...project, repos, primary_repo: repos[0] },
    github: { ...github, ...(place.clientId === undefined ? {} : { oauth_client_id: place.clientId }) },
    agents,
    governor,
    dashboard: {
      port: 3002,
      authorized_users: [`${place.login}:owner`],
      hub_proxied: false,
      open_on_this_machine: true,
    },
    hub: { enabled: true, url: hubUrl, is_public: true },
    acmm_level: acmmLevel,
  };
}
