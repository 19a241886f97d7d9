import type { Environment } from "@nest/kit";
import type { Backend } from "./cli/backend.ts";

/** What any program needs to run as the person who started the relay or the nest. */
const ALLOWED = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TERM",
  "COLORTERM",
  "TMPDIR",
  "TZ",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "SSH_AUTH_SOCK",
  "GH_HOST",
  "GH_CONFIG_DIR",
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "NEST_GITHUB_URL",
  "NEST_GITHUB_API_URL",
]);
const ALLOWED_PREFIXES = ["LC_", "XDG_"];

/** Never passed to an agent, whatever other list names them: these tokens are the relay's or the nest's own. */
const WITHHELD = /^(?:NEST|HIVE)_.*TOKEN$/;

/** Every process of one run carries this variable, so that the whole tree can be found again (see `process-tree.ts`). */
export const RUN_MARK = "NEST_AGENT_RUN";

export interface AgentEnvironmentDeps {
  readonly backend: Backend;
  /** Whether a sandbox or a container, and not only the CLI's own permission prompts, keeps the agent from the machine. */
  readonly isContained: boolean;
  /** The model that was chosen; for a backend that takes it from a variable. */
  readonly model?: string | undefined;
  /** Further names the contributor lets through (`NEST_AGENT_ENV`). */
  readonly alsoPass?: readonly string[];
  /** Variables of the task: its credential, its context file. They win over the contributor's own. */
  readonly task?: Readonly<Record<string, string>>;
}

/**
 * The environment of an agent, by allow list: what a program needs, the backend's own credential variables, and what the
 * task or the run brings. The registration token and other secrets of the relay, or of the nest, never get in.
 */
export function agentEnvironment(relay: Environment, deps: AgentEnvironmentDeps): Record<string, string> {
  const named = new Set([...ALLOWED, ...deps.backend.credentialVariables, ...(deps.alsoPass ?? [])]);
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(relay)) {
    if (value === undefined || WITHHELD.test(name)) continue;
    if (named.has(name) || ALLOWED_PREFIXES.some((prefix) => name.startsWith(prefix))) environment[name] = value;
  }
  return { ...environment, ...deps.backend.extraEnvironment?.(relay, deps), ...deps.task };
}
