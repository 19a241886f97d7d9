import { type Backend, findBinary } from "@nest/agents";
import { NestError, parseFlags, UsageError, variable } from "@nest/kit";
import { runRelay } from "../main.ts";
import { isSecret, SECRETS_FROM } from "../secrets/start-secrets.ts";
import { requireBackend } from "./check.ts";
import type { Command, CommandDeps } from "./command.ts";
import { readSaved } from "./saved-env.ts";

const USAGE = `usage: contribute-hive [backend] [local] [-image IMAGE]

Starts the relay with what contribute-setup has kept. In a container by default: docker, else podman. With local it runs on this
machine as you, its agent in a tmux session that you can watch and type in; it prints how to attach.

  backend        the agent (default: AGENT_BACKEND, else the one kept)
  local          host mode
  -image IMAGE   container image (default: NEST_RELAY_IMAGE, else localhost/nest-relay:latest)

environment: NEST_CONTAINER_RUNTIME forces docker or podman; CONTRIBUTOR_MODE=headless runs the agent without a terminal
`;

const CONTAINER_NAME = "nest-relay";
const DEFAULT_IMAGE = "localhost/nest-relay:latest";

/** `contribute-hive [backend] [local]`: starts the relay. */
export const contributeHive: Command = async (args, deps) => {
  const { flags, words, help } = parseFlags(args, { image: "text" }, USAGE);
  if (help) {
    deps.out.write(USAGE);
    return 0;
  }
  const local = words.includes("local");
  const saved = await readSaved(deps.environment);
  const named = words.filter((word) => word !== "local");
  const backend = requireBackend(
    named.length > 0 ? named : [deps.environment.AGENT_BACKEND || saved.AGENT_BACKEND || "claude"],
    "contribute-hive",
  );
  if (
    variable(deps.environment, "NEST_REGISTRATION_TOKEN") === undefined &&
    saved.NEST_REGISTRATION_TOKEN === undefined
  ) {
    throw new NestError("not_registered", "this machine is not registered at a hub", {
      hint: `contribute-setup ${backend.name}`,
    });
  }
  if (local) return runRelay([], { ...deps.environment, AGENT_BACKEND: backend.name });
  if (backend.name === "agy") throw new UsageError("agy works on the host only", { hint: "contribute-hive agy local" });
  const image = flags.image ?? variable(deps.environment, "NEST_RELAY_IMAGE") ?? DEFAULT_IMAGE;
  const runtime = await runtimeOf(deps);
  const environment = {
    ...keptAsVariables(saved),
    ...deps.environment,
    AGENT_BACKEND: backend.name,
    CONTRIBUTOR_MODE: deps.environment.CONTRIBUTOR_MODE || "headless",
  };
  const run = runArguments(runtime.name, image, backend, environment);
  return deps.run(runtime.path, run.args, environment, run.input);
};

/** The saved registration as the variables that a relay reads; the file itself is not brought into the container. */
function keptAsVariables(saved: Readonly<Record<string, string>>): Record<string, string> {
  const { NEST_HUB, NEST_REGISTRATION_TOKEN, CONTRIBUTOR_ID } = saved;
  const kept = { NEST_HUB, NEST_REGISTRATION_TOKEN, NEST_CONTRIBUTOR_ID: CONTRIBUTOR_ID };
  return Object.fromEntries(Object.entries(kept).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

async function runtimeOf({ environment }: CommandDeps): Promise<{ name: string; path: string }> {
  const forced = variable(environment, "NEST_CONTAINER_RUNTIME");
  if (forced === "none")
    throw new UsageError("NEST_CONTAINER_RUNTIME: none", { hint: "contribute-hive <backend> local" });
  for (const name of forced === undefined ? ["docker", "podman"] : [forced]) {
    const path = await findBinary(name, environment.PATH);
    if (path !== undefined) return { name, path };
  }
  throw new NestError(
    "container_runtime_missing",
    forced === undefined ? "neither docker nor podman is on PATH" : `${forced} is not on PATH`,
    {
      hint: "install podman, or run contribute-hive <backend> local",
    },
  );
}

/**
 * The arguments of `run`, and what it reads from standard input. Secrets go in there: what is in a container's environment is seen
 * by whatever is started in it later. With a terminal, which needs standard input, they are handed over by name: the runtime takes
 * their values from its own environment, so none is on a command line.
 */
export function runArguments(
  runtime: string,
  image: string,
  backend: Backend,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly args: string[]; readonly input: string | undefined } {
  const passed = [
    "AGENT_BACKEND",
    "AGENT_MODEL",
    "AGENT_REASONING_EFFORT",
    "CONTRIBUTOR_MODE",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "NEST_HUB",
    "NEST_REGISTRATION_TOKEN",
    "NEST_CONTRIBUTOR_ID",
    "NEST_AGENT_ROLE",
    "NEST_SESSION",
    "NEST_GITHUB_API_URL",
    "NEST_GITHUB_URL",
    "NEST_LITELLM_ENDPOINT",
    "NEST_LITELLM_API_KEY",
    ...backend.credentialVariables,
  ];
  const names = [...new Set(passed)].filter((name) => environment[name] !== undefined && environment[name] !== "");
  // Without root, podman maps the person to the image's own user; with root it refuses the option, and need not.
  const keepOwner = runtime === "podman" && process.getuid?.() !== 0 ? ["--userns=keep-id:uid=1001,gid=1000"] : [];
  const atTerminal = environment.CONTRIBUTOR_MODE === "interactive";
  const secret = atTerminal ? [] : names.filter((name) => isSecret(name, environment[name] ?? ""));
  const args = [
    "run",
    "--rm",
    "--interactive",
    ...(atTerminal ? ["--tty"] : []),
    "--name",
    CONTAINER_NAME,
    "--security-opt",
    "no-new-privileges",
    "--cap-drop",
    "ALL",
    ...keepOwner,
    "--volume",
    "nest-relay-state:/home/contributor/.local/state/nest",
    ...names.filter((name) => !secret.includes(name)).flatMap((name) => ["--env", name]),
    ...(atTerminal ? [] : ["--env", `${SECRETS_FROM}=-`]),
    "--env",
    "NEST_CONTAINER=1",
    "--env",
    `NEST_ATTACH_PREFIX=${runtime} exec -it ${CONTAINER_NAME}`,
    image,
  ];
  const values = Object.fromEntries(secret.map((name) => [name, environment[name]]));
  return { args, input: atTerminal ? undefined : JSON.stringify(values) };
}
