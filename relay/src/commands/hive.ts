import { type Backend, findBinary } from "@nest/agents";
import { type Environment, NestError, parseFlags, UsageError, variable } from "@nest/kit";
import { runRelay } from "../main.ts";
import { keptFor } from "../settings/kept-hubs.ts";
import { requireBackend } from "./check.ts";
import type { Command, CommandDeps } from "./command.ts";
import { runArguments, travels } from "./container-run.ts";
import { loginsFor } from "./logins.ts";
import { checkedImage, relayImage, requireImage, tagged } from "./relay-image.ts";
import { readSaved } from "./saved-env.ts";

const USAGE = `usage: contribute-hive [backend] [local] [-image IMAGE]

Starts the relay with what contribute-setup has kept. In a container by default: docker, else podman. With local it runs on this
machine as you, its agent in a tmux session that you can watch and type in; it prints how to attach.

  backend        the agent (default: AGENT_BACKEND, else the one kept)
  local          host mode
  -image IMAGE   container image (default: NEST_RELAY_IMAGE, else nest-relay:latest below NEST_IMAGE_PREFIX, else below localhost)

Into the container go: all of contributor.env that has a meaning there, the variables of the agent and of the relay (nest-relay -h),
your login at the code host, and the agent's own login: its variable, or a copy of what its files hold to sign in. This command says
which. Secrets go by standard input, or by name where the container has your terminal; never on a command line.

environment:
  NEST_CONTAINER_RUNTIME   docker or podman, instead of the first that is installed
  CONTRIBUTOR_MODE         headless or interactive: the agent in tmux inside, with the command that attaches. In a container the
                           default is headless where the agent has such a mode, else interactive
`;

/** `contribute-hive [backend] [local]`: starts the relay. */
export const contributeHive: Command = async (args, deps) => {
  const { flags, words, help } = parseFlags(args, { image: "text" }, USAGE);
  if (help) {
    deps.out.write(USAGE);
    return 0;
  }
  const saved = keptFor(deps.environment, await readSaved(deps.environment));
  const backend = backendIn(words, { ...saved, ...filled(deps.environment) });
  if (
    variable(deps.environment, "NEST_REGISTRATION_TOKEN") === undefined &&
    variable(saved, "NEST_REGISTRATION_TOKEN") === undefined
  ) {
    throw new NestError("not_registered", "this machine is not registered at a hub", {
      hint: `contribute-setup ${backend.name}`,
    });
  }
  if (words.includes("local")) return runRelay([], { ...deps.environment, AGENT_BACKEND: backend.name });
  return inContainer(backend, saved, flags.image, deps);
};

function backendIn(words: readonly string[], environment: Environment): Backend {
  const named = words.filter((word) => word !== "local");
  return requireBackend(named.length > 0 ? named : [environment.AGENT_BACKEND ?? "claude"], "contribute-hive");
}

async function inContainer(
  backend: Backend,
  saved: Readonly<Record<string, string>>,
  namedImage: string | undefined,
  deps: CommandDeps,
): Promise<number> {
  if (backend.name === "agy") throw new UsageError("agy works on the host only", { hint: "contribute-hive agy local" });
  const runtime = await runtimeOf(deps);
  const image = tagged(
    namedImage === undefined
      ? relayImage({ ...saved, ...filled(deps.environment) })
      : checkedImage(namedImage, "-image"),
  );
  await requireImage(runtime.path, image, backend.npmPackage, deps);
  const own: Environment = { ...saved, ...filled(deps.environment) };
  const logins = await loginsFor(backend, own, deps);
  for (const line of logins.said) deps.error.write(`contribute-hive: ${line}\n`);
  const left = Object.keys(saved).filter((name) => !travels(name));
  if (left.length > 0)
    deps.error.write(
      `contribute-hive: ${left.join(", ")} of contributor.env name something of this machine, and stay\n`,
    );
  const mode = own.CONTRIBUTOR_MODE ?? (backend.oneShot === undefined ? "interactive" : "headless");
  if (mode === "headless" && backend.oneShot === undefined)
    throw new UsageError(`CONTRIBUTOR_MODE: ${backend.name} has no headless mode`, { hint: "leave it away" });
  const environment = { ...own, ...logins.variables, AGENT_BACKEND: backend.name, CONTRIBUTOR_MODE: mode };
  const run = runArguments({
    runtime: runtime.name,
    image,
    backend,
    environment,
    kept: Object.keys(saved),
    atTerminal: mode === "interactive" && deps.error.isTTY === true,
  });
  return deps.run(runtime.path, run.args, environment, run.input);
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

/** Without variables that are set to nothing: those say no more than absent ones. */
function filled(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""));
}
