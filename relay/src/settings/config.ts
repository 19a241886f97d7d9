import { homedir, tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { type Backend, backendOf, backends } from "@nest/agents";
import { type Environment, isLoopback, UsageError, variable } from "@nest/kit";
import { webSocketAddress } from "@nest/protocol";
import { SESSION_PATTERN } from "../name/session-name.ts";
import { keptFor } from "./kept-hubs.ts";

/** One hub, with the token that belongs to it. */
export interface HubEntry {
  readonly address: string;
  /** `host[:port]`, for people. */
  readonly host: string;
  readonly token: string;
  /** Known since registration. Without it the relay cannot prove that it has the token, and sends the token itself. */
  readonly contributorId?: string;
}

const SANDBOX_CHOICES = ["auto", "bubblewrap", "off"] as const;
export type SandboxChoice = (typeof SANDBOX_CHOICES)[number];

export type ContributorMode = "interactive" | "headless";

export interface RelayConfig {
  readonly hubs: readonly HubEntry[];
  readonly backend: Backend;
  /** `NEST_AGENT_COMMAND`: overrides the backend's binary. */
  readonly agentCommand: string | undefined;
  readonly model: string | undefined;
  readonly effort: string | undefined;
  readonly role: string | undefined;
  readonly mode: ContributorMode;
  /** What a person types before the command that attaches, to get to where the relay runs; `contribute-hive` sets it. */
  readonly attachPrefix: string | undefined;
  /** `NEST_SESSION`: the name hubs tell this relay by; unset, the one kept in the state folder. */
  readonly session: string | undefined;
  /** Multiplexer session name in interactive mode. */
  readonly sessionName: string;
  readonly containerRuntime: string | undefined;
  /** Whether this relay itself runs in a container: only there may agents skip permission prompts. */
  readonly inContainer: boolean;
  /** `NEST_SANDBOX`: whether agents on the host are confined; `auto` where that can be done. */
  readonly sandbox: SandboxChoice;
  /** `NEST_SANDBOX_READ`: further paths that a confined agent may read. */
  readonly sandboxRead: readonly string[];
  readonly workspaceRoot: string;
  readonly stateFolder: string;
  readonly statusFile: string;
  readonly taskContextFile: string;
  /** Whether the operator named these two files. If not, each of several relays on this machine uses its own. */
  readonly filesAreNamed: { readonly status: boolean; readonly context: boolean };
  readonly tokenCacheFile: string | undefined;
  readonly webBase: string;
  readonly passToAgent: readonly string[];
  /** `NEST_TEST_CLOCK_SCALE`; 1 outside tests. */
  readonly clockScale: number;
}

/** The hub of `npm start` on this machine: there is no public one yet. */
export const DEFAULT_HUB = "ws://127.0.0.1:8080/contribute";

const EFFORT = /^[A-Za-z0-9_-]{1,32}$/;
const RUNTIMES = ["docker", "podman", "none"];

/**
 * The relay's configuration: environment first, then `contributor.env`.
 *
 * @throws UsageError with one line per fault, each beginning with the variable's name. No value of a secret is repeated.
 */
export function readConfig(environment: Environment, saved: Readonly<Record<string, string>> = {}): RelayConfig {
  const file = keptFor(environment, saved);
  const faults: string[] = [];
  const fault = (key: string, what: string) => faults.push(`${key}: ${what}`);
  const read = (name: string) => trimmed(variable(environment, name)) ?? trimmed(variable(file, name));

  const hubs = readHubs(read, fault);
  const backendName = read("AGENT_BACKEND") ?? "claude";
  const backend = backendOf(backendName);
  if (backend === undefined)
    fault("AGENT_BACKEND", `unknown backend "${backendName}"; one of ${backends.map(({ name }) => name).join(", ")}`);
  const mode = read("CONTRIBUTOR_MODE") ?? "interactive";
  if (mode !== "interactive" && mode !== "headless")
    fault("CONTRIBUTOR_MODE", `must be interactive or headless, not "${mode}"`);
  const agentCommand = read("NEST_AGENT_COMMAND");
  const effort = readEffort(backendName, read("AGENT_REASONING_EFFORT"), fault);
  if (backendName === "litellm" && agentCommand === undefined && read("NEST_LITELLM_ENDPOINT") === undefined)
    fault("NEST_LITELLM_ENDPOINT", "missing; set it to the address of your proxy, and NEST_LITELLM_API_KEY to its key");
  const model = read("AGENT_MODEL");
  if (model?.startsWith("-")) fault("AGENT_MODEL", "must not begin with a dash");
  const sessionName = read("NEST_AGENT_SESSION") ?? "contributor";
  if (!SESSION_PATTERN.test(sessionName)) fault("NEST_AGENT_SESSION", "letters, digits, - and _ only, at most 64");
  const session = read("NEST_SESSION");
  if (session !== undefined && !SESSION_PATTERN.test(session))
    fault("NEST_SESSION", "letters, digits, - and _ only, at most 64");
  const containerRuntime = read("NEST_CONTAINER_RUNTIME");
  if (containerRuntime !== undefined && !RUNTIMES.includes(containerRuntime))
    fault("NEST_CONTAINER_RUNTIME", `must be ${RUNTIMES.join(", ")}, not "${containerRuntime}"`);
  const sandbox = SANDBOX_CHOICES.find((choice) => choice === (read("NEST_SANDBOX") ?? "auto"));
  if (sandbox === undefined)
    fault("NEST_SANDBOX", `must be ${SANDBOX_CHOICES.join(", ")}, not "${read("NEST_SANDBOX")}"`);
  const sandboxRead = list(read("NEST_SANDBOX_READ"));
  if (!sandboxRead.every(isAbsolute)) fault("NEST_SANDBOX_READ", "absolute paths only, comma-separated");
  const webBase = read("NEST_GITHUB_URL") ?? "https://github.com";
  if (!isHttpAddress(webBase)) fault("NEST_GITHUB_URL", "not an http or https address");
  else if (holdsCredentials(webBase)) fault("NEST_GITHUB_URL", "must hold no user name or password");
  const clockScale = readScale(read("NEST_TEST_CLOCK_SCALE"), hubs, fault);

  if (faults.length > 0 || backend === undefined || sandbox === undefined)
    throw new UsageError(faults[0] ?? "AGENT_BACKEND: unknown", { faults });
  const home = environment.HOME || homedir();
  const temporary = environment.TMPDIR || tmpdir();
  return {
    hubs,
    backend,
    agentCommand,
    model,
    effort,
    role: read("NEST_AGENT_ROLE"),
    mode: mode as ContributorMode,
    attachPrefix: read("NEST_ATTACH_PREFIX"),
    session,
    sessionName,
    containerRuntime,
    inContainer: read("NEST_CONTAINER") === "1",
    sandbox,
    sandboxRead,
    workspaceRoot: resolve(read("NEST_WORKSPACE") ?? join(home, ".cache/nest/workspaces")),
    stateFolder: stateFolderIn(environment),
    statusFile: resolve(read("NEST_HEADLESS_STATUS_FILE") ?? join(temporary, "contributor-headless-status.json")),
    taskContextFile: resolve(read("NEST_TASK_CONTEXT_FILE") ?? join(temporary, "contributor-task.json")),
    filesAreNamed: {
      status: read("NEST_HEADLESS_STATUS_FILE") !== undefined,
      context: read("NEST_TASK_CONTEXT_FILE") !== undefined,
    },
    tokenCacheFile: read("NEST_GH_TOKEN_CACHE"),
    webBase: webBase.replace(/\/+$/, ""),
    passToAgent: list(read("NEST_AGENT_ENV")),
    clockScale,
  };
}

/** Backends without such a choice ignore the variable, whatever it holds (spec: Relay environment). */
function readEffort(backend: string, effort: string | undefined, fault: Fault): string | undefined {
  if (effort === undefined || !["codex", "agy"].includes(backend)) return undefined;
  if (!EFFORT.test(effort)) fault("AGENT_REASONING_EFFORT", "not a single word");
  else if (backend === "agy" && !["low", "medium", "high"].includes(effort))
    fault("AGENT_REASONING_EFFORT", "must be low, medium or high for agy");
  return effort;
}

/** The folder for what must survive the relay's process. */
export function stateFolderIn(environment: Environment): string {
  const home = environment.HOME || homedir();
  return join(environment.XDG_STATE_HOME || join(home, ".local/state"), "nest");
}

type Read = (name: string) => string | undefined;
type Fault = (key: string, what: string) => void;

/** Reads comma-separated lists: the first token belongs to the first hub, and so on. */
function readHubs(read: Read, fault: Fault): readonly HubEntry[] {
  const addresses = list(read("NEST_HUB") ?? DEFAULT_HUB);
  const tokens = list(read("NEST_REGISTRATION_TOKEN"));
  const identities = list(read("NEST_CONTRIBUTOR_ID") ?? read("CONTRIBUTOR_ID"));
  if (addresses.length === 0) fault("NEST_HUB", "names no hub");
  if (tokens.length === 0) fault("NEST_REGISTRATION_TOKEN", "missing; run contribute-setup to register");
  if (addresses.length > 0 && tokens.length > 0 && addresses.length !== tokens.length)
    fault(
      "NEST_REGISTRATION_TOKEN",
      `${tokens.length} token(s) for ${addresses.length} hub(s) in NEST_HUB; both lists must have the same length`,
    );
  return addresses.flatMap((configured, index) => {
    const address = addressOf(configured);
    if (address === undefined) {
      fault("NEST_HUB", `"${shown(configured)}" is not a ws://, wss://, http:// or https:// address`);
      return [];
    }
    const contributorId = identities.length === addresses.length ? identities[index] : undefined;
    return [
      {
        address,
        host: new URL(address).host,
        token: tokens[index] ?? "",
        ...(contributorId === undefined ? {} : { contributorId }),
      },
    ];
  });
}

function addressOf(configured: string): string | undefined {
  try {
    return webSocketAddress(configured);
  } catch {
    return undefined;
  }
}

function readScale(text: string | undefined, hubs: readonly HubEntry[], fault: Fault): number {
  if (text === undefined) return 1;
  const scale = Number(text);
  if (!Number.isFinite(scale) || scale < 1) fault("NEST_TEST_CLOCK_SCALE", "must be a number of 1 or more");
  else if (!hubs.every(({ address }) => isLoopback(new URL(address).hostname.replace(/^\[|\]$/g, ""))))
    fault("NEST_TEST_CLOCK_SCALE", "for tests only: every hub must be on a loopback address");
  return scale;
}

/** An address as an error may repeat it: without what may be a credential in it. */
function shown(address: string): string {
  return (address.split("?")[0] ?? "").replace(/\/\/.*@/, "//");
}

function holdsCredentials(address: string): boolean {
  const { username, password } = new URL(address);
  return username !== "" || password !== "";
}

function isHttpAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function list(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const parts = text.split(",").map((part) => part.trim());
  return parts.at(-1) === "" ? parts.slice(0, -1) : parts;
}

function trimmed(text: string | undefined): string | undefined {
  const bare = text?.trim();
  return bare === "" ? undefined : bare;
}
