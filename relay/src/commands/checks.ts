import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Backend, findBinary, findBubblewrap } from "@nest/agents";
import { type Environment, variable } from "@nest/kit";
import { readKeptName, SESSION_PATTERN } from "../name/session-name.ts";
import { stateFolderIn } from "../settings/config.ts";
import { codeHostLogin } from "./code-host-login.ts";
import type { CommandDeps } from "./command.ts";
import { checkDisk } from "./disk-check.ts";
import { readSaved } from "./saved-env.ts";

/** One thing that is there or missing, and what to do about it. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** What was found, or what is missing. */
  readonly detail: string;
  readonly remedy?: string;
  /** A gap that keeps the relay from working; others only limit it. */
  readonly required: boolean;
}

/** Where backends keep a login of their own, under the home folder. */
const LOGIN_FILES: Readonly<Record<string, readonly string[]>> = {
  claude: [".claude/.credentials.json", ".claude.json"],
  codex: [".codex/auth.json"],
  copilot: [".copilot/config.json", ".config/github-copilot/hosts.json", ".config/gh/hosts.yml"],
  goose: [".config/goose/config.yaml"],
  pi: [".pi/agent/auth.json", ".pi/agent/models.json"],
  agy: [".gemini/oauth_creds.json"],
};

/** Files that are there without a login too: what tells one. */
const TELLS_A_LOGIN: Readonly<Record<string, RegExp>> = { ".claude.json": /"(?:oauthAccount|primaryApiKey)"/ };

const AGENT_CLI = "agent CLI";
export const CODE_HOST_LOGIN = "code-host login";
export const AGENT_CREDENTIAL = "agent credential";
const SESSION_REMEDY = "letters, digits, - and _ only, at most 64; or unset it";

/** Where the agent works: on this machine, or in an image that holds it, in a container or on a cluster. */
export type Place = "here" | "image";

/** Checks everything that a backend needs on this machine, without changing anything. */
export async function checkMachine(backend: Backend, deps: CommandDeps, place: Place = "here"): Promise<Check[]> {
  const { environment } = deps;
  const path = environment.PATH;
  const command = environment.NEST_AGENT_COMMAND || backend.binary;
  const [git, tmux, docker, podman] = await Promise.all(
    ["git", "tmux", "docker", "podman"].map((name) => findBinary(name, path)),
  );
  const agent = await agentBinary(backend, environment);
  const runtime = docker ?? podman;
  const version =
    agent === undefined ? undefined : (await deps.read(agent, backend.versionArgs))?.split("\n")[0]?.trim();
  const login = await codeHostLogin(deps);
  return [
    ...(place === "image" ? [] : [found("git", git, "install git", true)]),
    place === "image" ? agentInImage(backend) : agentHere(backend, { command, agent, version }),
    await credential(backend, deps),
    "gap" in login
      ? { name: CODE_HOST_LOGIN, ok: false, detail: login.gap, remedy: login.remedy, required: true }
      : { name: CODE_HOST_LOGIN, ok: true, detail: `${login.login}, by ${login.from}`, required: true },
    runtime === undefined
      ? {
          name: "container runtime",
          ok: false,
          detail: "neither docker nor podman",
          remedy: "install podman, or use contribute-hive with local",
          required: false,
        }
      : { name: "container runtime", ok: true, detail: runtime, required: false },
    ...(place === "image"
      ? []
      : [
          await sandbox(environment),
          found("tmux", tmux, "install tmux to watch the agent in interactive mode", false),
        ]),
    backend.oneShot === undefined
      ? {
          name: "headless mode",
          ok: false,
          detail: `${backend.name} has none`,
          remedy: "run it with contribute-hive and local",
          required: false,
        }
      : { name: "headless mode", ok: true, detail: "supported", required: false },
    await sessionName(deps),
    await checkDisk(environment),
  ];
}

function agentHere(
  { name, npmPackage }: Backend,
  { command, agent, version }: { command: string; agent: string | undefined; version: string | undefined },
): Check {
  if (agent !== undefined) {
    const detail = version === undefined || version === "" ? agent : `${agent} (${version})`;
    return { name: AGENT_CLI, ok: true, detail, required: true };
  }
  const install = npmPackage === undefined ? `install the ${name} CLI` : `npm i -g ${npmPackage}`;
  const remedy = name === "agy" ? install : `${install}; or -container, where it works in an image that holds it`;
  return { name: AGENT_CLI, ok: false, detail: `${command} is not on PATH`, remedy, required: true };
}

/** Whether the image holds it is seen when it starts. */
function agentInImage({ name }: Backend): Check {
  if (name !== "agy") return { name: AGENT_CLI, ok: true, detail: `${name}, in the image`, required: true };
  const remedy = "contribute-hive agy local";
  return { name: AGENT_CLI, ok: false, detail: "agy works only on the host", remedy, required: true };
}

/** Where the agent's program is; undefined where it is not on PATH. */
export function agentBinary(backend: Backend, environment: Environment): Promise<string | undefined> {
  return findBinary(environment.NEST_AGENT_COMMAND || backend.binary, environment.PATH);
}

/** The name by which hubs tell this machine's relay from others of the same contributor. */
async function sessionName({ environment }: CommandDeps): Promise<Check> {
  const name = "session";
  const configured = (variable(environment, "NEST_SESSION") ?? (await readSaved(environment)).NEST_SESSION)?.trim();
  if (configured !== undefined && configured !== "")
    return SESSION_PATTERN.test(configured)
      ? { name, ok: true, detail: `${configured} (NEST_SESSION)`, required: false }
      : { name, ok: false, detail: "NEST_SESSION is no name", remedy: SESSION_REMEDY, required: true };
  const kept = await readKeptName(stateFolderIn(environment));
  return { name, ok: true, detail: kept ?? "made when the relay starts for the first time", required: false };
}

/** Whether an agent outside a container can be confined. */
async function sandbox(environment: Environment): Promise<Check> {
  const name = "sandbox";
  const bubblewrap = await findBubblewrap(environment.PATH);
  if ("works" in bubblewrap)
    return { name, ok: true, detail: `${bubblewrap.works.binary}, for contribute-hive with local`, required: false };
  const first = process.platform === "linux" ? "install bubblewrap, or run" : "run";
  const remedy = `${first} the relay in a container: with local nothing would confine the agent`;
  return { name, ok: false, detail: bubblewrap.because, remedy, required: false };
}

function found(name: string, path: string | undefined, remedy: string, required: boolean): Check {
  return path === undefined
    ? { name, ok: false, detail: "not on PATH", remedy, required }
    : { name, ok: true, detail: path, required };
}

/** Evidence of the backend's own credential; its value is never shown. */
async function credential(backend: Backend, { environment }: CommandDeps): Promise<Check> {
  const name = AGENT_CREDENTIAL;
  if (environment.NEST_AGENT_COMMAND)
    return { name, ok: true, detail: "another program stands in (NEST_AGENT_COMMAND)", required: false };
  const secret = /(?:KEY|TOKEN|AUTH)/;
  const variable = backend.credentialVariables.find((one) => secret.test(one) && environment[one]);
  if (variable !== undefined) return { name, ok: true, detail: variable, required: true };
  if (backend.name === "litellm") {
    const missing = ["NEST_LITELLM_ENDPOINT", "NEST_LITELLM_API_KEY"].filter((one) => !environment[one]);
    if (missing.length > 0)
      return {
        name,
        ok: false,
        detail: `${missing.join(", ")} not set`,
        remedy: "set both to your proxy's",
        required: true,
      };
    return { name, ok: true, detail: "NEST_LITELLM_API_KEY", required: true };
  }
  const home = environment.HOME || homedir();
  for (const file of LOGIN_FILES[backend.name] ?? []) {
    const text = await readFile(join(home, file), "utf8").catch(() => undefined);
    if (text !== undefined && (TELLS_A_LOGIN[file]?.test(text) ?? true))
      return { name, ok: true, detail: `~/${file}`, required: true };
  }
  const remedy = `start ${backend.binary} once and sign in, or set ${backend.credentialVariables.find((one) => secret.test(one)) ?? "its key"}`;
  return { name, ok: false, detail: "none found", remedy, required: true };
}
