import type { Backend } from "@nest/agents";
import type { Environment } from "@nest/kit";
import { CARRIED_LOGIN } from "../secrets/carried-login.ts";
import { isSecret, SECRETS_FROM } from "../secrets/start-secrets.ts";

export const CONTAINER_NAME = "nest-relay";

/** Variables of a contributor's own environment that reach the relay in its container. */
const PASSED = [
  "AGENT_BACKEND",
  "AGENT_MODEL",
  "AGENT_REASONING_EFFORT",
  "CONTRIBUTOR_MODE",
  "CONTRIBUTOR_ID",
  "CONTRIBUTOR_USERNAME",
  "GH_TOKEN",
  "GITHUB_TOKEN",
  "NEST_HUB",
  "NEST_REGISTRATION_TOKEN",
  "NEST_CONTRIBUTOR_ID",
  "NEST_AGENT_ROLE",
  "NEST_AGENT_SESSION",
  "NEST_AGENT_ENV",
  "NEST_SANDBOX",
  "NEST_SESSION",
  "NEST_GITHUB_API_URL",
  "NEST_GITHUB_URL",
  "NEST_LITELLM_ENDPOINT",
  "NEST_LITELLM_API_KEY",
  CARRIED_LOGIN,
];

/** What names a place or a program of the person's own machine: in a container it would name another one. */
const OF_THIS_MACHINE =
  /^(?:PATH|HOME|TMPDIR|SHELL|USER|LOGNAME|PWD|NODE_\w+|LD_\w+|XDG_\w+|CLAUDE_CONFIG_DIR|CODEX_HOME|COPILOT_HOME|PI_CODING_AGENT_DIR|(?:NEST|HIVE)_(?:CONTAINER\w*|WORKSPACE|SANDBOX_READ|HEADLESS_STATUS_FILE|TASK_CONTEXT_FILE|GH_TOKEN_CACHE|RELAY_IMAGE|IMAGE_PREFIX|AGENT_COMMAND))$/;

/** Whether a variable means the same in a container as outside. */
export function travels(name: string): boolean {
  return !OF_THIS_MACHINE.test(name);
}

/** Whether one of these addresses is this machine's own. */
export function namesLoopback(addresses: string | undefined): boolean {
  return (addresses ?? "").split(",").some((address) => {
    if (!URL.canParse(address.trim())) return false;
    return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(address.trim()).hostname);
  });
}

export interface ContainerRun {
  /** `docker` or `podman`. */
  readonly runtime: string;
  readonly image: string;
  readonly backend: Backend;
  /** What the relay inside is to have: the contributor's environment over what is kept. */
  readonly environment: Environment;
  /** Names that contributor.env has: all of them go along. */
  readonly kept: readonly string[];
  /** Whether the person sits at a terminal that the container can have. */
  readonly atTerminal: boolean;
}

/**
 * The arguments of `run`, and what it reads from standard input. Secrets go in there: what is in a container's environment is seen
 * by whatever is started in it later. With a terminal, which needs standard input, they are handed over by name: the runtime takes
 * their values from its own environment, so none is on a command line.
 */
export function runArguments(run: ContainerRun): { readonly args: string[]; readonly input: string | undefined } {
  const { runtime, environment, atTerminal } = run;
  const also = (environment.NEST_AGENT_ENV ?? "").split(",").map((name) => name.trim());
  const passed = new Set([...PASSED, ...run.backend.credentialVariables, ...run.kept, ...also]);
  const names = [...passed].filter((name) => travels(name) && Boolean(environment[name]));
  const secret = atTerminal ? [] : names.filter((name) => isSecret(name, environment[name] ?? ""));
  // Without root, podman maps the person to the image's own user; with root it refuses the option, and need not.
  const keepOwner = runtime === "podman" && process.getuid?.() !== 0 ? ["--userns=keep-id:uid=1001,gid=1000"] : [];
  // The host's own hub or code host is there only in the host's network.
  const ofHost = ["NEST_HUB", "NEST_GITHUB_URL", "NEST_GITHUB_API_URL"].some((name) =>
    namesLoopback(environment[name]),
  );
  const args = [
    ...["run", "--rm", "--interactive", ...(atTerminal ? ["--tty"] : []), "--name", CONTAINER_NAME],
    ...(ofHost ? ["--network", "host"] : []),
    ...["--security-opt", "no-new-privileges", "--cap-drop", "ALL", ...keepOwner],
    ...["--volume", "nest-relay-state:/home/contributor/.local/state/nest"],
    ...names.filter((name) => !secret.includes(name)).flatMap((name) => ["--env", name]),
    ...(atTerminal ? [] : ["--env", `${SECRETS_FROM}=-`]),
    ...["--env", "NEST_CONTAINER=1", "--env", `NEST_ATTACH_PREFIX=${runtime} exec -it ${CONTAINER_NAME}`],
    run.image,
  ];
  const values = Object.fromEntries(secret.map((name) => [name, environment[name]]));
  return { args, input: atTerminal ? undefined : JSON.stringify(values) };
}
