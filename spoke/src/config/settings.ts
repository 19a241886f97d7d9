import { type Environment, isLoopback, Secret, UsageError, variable } from "@nest/kit";
import { httpBase } from "@nest/protocol";
import type { NestYaml } from "./nest-yaml.ts";

/** What the environment says about a spoke. */
export interface SpokeSettings {
  readonly dataFolder: string;
  readonly configFile: string;
  /** Copied to the configuration's place where there is none (`NEST_SEED`). */
  readonly seedFile: string;
  readonly deployment: Deployment;
  readonly host: string;
  readonly dashboardPort: number | undefined;
  readonly terminalPort: number;
  readonly hubUrl: string | undefined;
  /** What heartbeats prove themselves with: `NEST_HEARTBEAT_KEY`, this nest's own key, or else the hub-wide `NEST_HUB_SECRET`. */
  readonly hubSecret: Secret | undefined;
  readonly clockScale: number;
  /** Whose files the owner's backup stores (spec: `NEST_SPOKE_BACKUP_DATA_DIR`); overlay and key are in the data folder alone. */
  readonly backupFolder: string;
  /** The admin-managed secret mount. */
  readonly secretsFolder: string;
  /** What a trusted proxy proves itself with. */
  readonly dashboardToken: Secret | undefined;
  readonly environment: Environment;
  /** The code host's API and web bases, without a trailing slash. */
  readonly apiUrl: string;
  readonly webUrl: string;
  /** Whether this program runs in a container. */
  readonly inContainer: boolean;
  /** `NEST_SANDBOX`. */
  readonly sandbox: "auto" | "bubblewrap" | "off";
  /** Paths that sandboxed agents may read besides what they need. */
  readonly sandboxRead: readonly string[];
  /** Variables that agents get besides those they need. */
  readonly passToAgent: readonly string[];
  /** A program in place of every backend's own. */
  readonly agentCommand: string | undefined;
}

/** Where a nest runs, by which is decided what the configuration file is good for. */
export type Deployment = "pod" | "container" | "machine";

/** Where a spoke's heartbeats go. */
export interface HubLink {
  /** The hub's HTTP base, without a trailing slash. */
  readonly base: string;
  readonly secret: Secret | undefined;
}

/**
 * Reads a spoke's environment.
 *
 * @throws UsageError with one line per fault.
 */
export function readSettings(environment: Environment): SpokeSettings {
  const faults: string[] = [];
  const host = variable(environment, "NEST_SPOKE_HOST") ?? "127.0.0.1";
  const scale = variable(environment, "NEST_TEST_CLOCK_SCALE");
  const clockScale = scale === undefined ? 1 : Number(scale);
  if (!(clockScale >= 1 && clockScale <= 1_000_000))
    faults.push("NEST_TEST_CLOCK_SCALE: expected a number from 1 to 1000000");
  else if (scale !== undefined && !isLoopback(host))
    faults.push("NEST_TEST_CLOCK_SCALE: only for tests, refused unless NEST_SPOKE_HOST is a loopback address");
  const secret = variable(environment, "NEST_HEARTBEAT_KEY") ?? variable(environment, "NEST_HUB_SECRET");
  const backupFolder = variable(environment, "NEST_SPOKE_BACKUP_DATA_DIR");
  const dataFolder = variable(environment, "NEST_DATA_DIR") ?? backupFolder ?? "/data";
  const token = variable(environment, "NEST_DASHBOARD_TOKEN");
  const apiUrl = httpAddress(environment, "NEST_GITHUB_API_URL", faults) ?? "https://api.github.com";
  const sandbox = sandboxes.find((choice) => choice === (variable(environment, "NEST_SANDBOX") ?? "auto"));
  if (sandbox === undefined) faults.push(`NEST_SANDBOX: expected one of ${sandboxes.join(", ")}`);
  const settings: SpokeSettings = {
    apiUrl,
    webUrl: httpAddress(environment, "NEST_GITHUB_URL", faults) ?? webUrlOf(apiUrl),
    inContainer: variable(environment, "NEST_CONTAINER") === "1" || environment.KUBERNETES_SERVICE_HOST !== undefined,
    sandbox: sandbox ?? "auto",
    sandboxRead: list(variable(environment, "NEST_SANDBOX_READ")),
    passToAgent: list(variable(environment, "NEST_AGENT_ENV")),
    agentCommand: variable(environment, "NEST_AGENT_COMMAND"),
    dataFolder,
    backupFolder: backupFolder ?? dataFolder,
    secretsFolder: variable(environment, "NEST_SECRETS_DIR") ?? "/secrets",
    dashboardToken: token === undefined ? undefined : new Secret(token),
    environment,
    configFile: variable(environment, "NEST_CONFIG") ?? "/etc/nest/nest.yaml",
    seedFile: variable(environment, "NEST_SEED") ?? "/etc/nest-seed/nest.yaml",
    deployment: deploymentOf(environment),
    host,
    dashboardPort: port(environment, "NEST_SPOKE_DASHBOARD_PORT", faults),
    terminalPort: port(environment, "NEST_SPOKE_TERMINAL_PORT", faults) ?? 3001,
    hubUrl: variable(environment, "NEST_HUB_URL"),
    hubSecret: secret === undefined ? undefined : new Secret(secret),
    clockScale,
  };
  const [first] = faults;
  if (first !== undefined) throw new UsageError(first, { faults });
  return settings;
}

/**
 * The hub this spoke reports to, if any: the environment's address wins over `hub.url`.
 *
 * @throws UsageError when the address is none.
 */
export function hubLink(settings: SpokeSettings, config: NestYaml): HubLink | undefined {
  if (!config.hub.enabled) return undefined;
  const configured = settings.hubUrl ?? config.hub.url;
  if (configured === undefined) return undefined;
  try {
    return { base: httpBase(configured), secret: settings.hubSecret };
  } catch {
    const key = settings.hubUrl === undefined ? "hub.url" : "NEST_HUB_URL";
    throw new UsageError(`${key}: expected an address that begins with https:// or http://`);
  }
}

/** Images of ours set `NEST_CONTAINER`; an LXC container's first process gets `container=lxc`. */
function deploymentOf(environment: Environment): Deployment {
  if (environment.KUBERNETES_SERVICE_HOST !== undefined) return "pod";
  const isContainer = variable(environment, "NEST_CONTAINER") === "1" || /^lxc/.test(environment.container ?? "");
  return isContainer ? "container" : "machine";
}

const sandboxes = ["auto", "bubblewrap", "off"] as const;

function list(text: string | undefined): readonly string[] {
  return (text ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

function httpAddress(environment: Environment, name: string, faults: string[]): string | undefined {
  const value = variable(environment, name);
  if (value === undefined) return undefined;
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value.replace(/\/+$/, "");
  faults.push(`${name}: expected an address that begins with https:// or http://`);
  return undefined;
}

/** The web address for an API address: the public code host's, an Enterprise server's, or the same address (a test host). */
function webUrlOf(apiUrl: string): string {
  if (apiUrl === "https://api.github.com") return "https://github.com";
  return apiUrl.replace(/\/api\/v3$/, "");
}

function port(environment: Environment, name: string, faults: string[]): number | undefined {
  const value = variable(environment, name);
  if (value === undefined) return undefined;
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  faults.push(`${name}: expected a port number from 0 to 65535`);
  return undefined;
}
