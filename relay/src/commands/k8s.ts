import { type Backend, backends } from "@nest/agents";
import { isLoopback, NestError, parseFlags, UsageError, variable, writeFileAtomic } from "@nest/kit";
import { keptFor } from "../settings/kept-hubs.ts";
import { requireBackend } from "./check.ts";
import { codeHostLogin } from "./code-host-login.ts";
import type { Command, CommandDeps } from "./command.ts";
import { manifestsOf } from "./k8s-manifests.ts";
import { howToGet, isLocal, relayImage, tagged } from "./relay-image.ts";
import { readSaved, withKeptCodeHost } from "./saved-env.ts";

const USAGE = `usage: contribute-k8s [namespace] [output-file] [image-tag] [-secret NAME]

Prints, or writes with mode 0600, what runs your relay on a cluster: Namespace, ConfigMap, Secret and Deployment. One replica per
registered contributor. The Secret holds the registration token and your code-host token: keep the file as you keep them.

  namespace      default nest-contributor
  output-file    default: standard output
  image-tag      default latest; the image is NEST_RELAY_IMAGE, else nest-relay below NEST_IMAGE_PREFIX, else below localhost
  -secret NAME   use a Secret that exists already instead of making one

The cluster takes the image that a node has already, else the one of its registry. One below localhost is in no registry: make it
with npm run images in a checkout of Nest and bring it to each node (podman save IMAGE | ssh NODE podman load), or push it to a
registry and name that in NEST_IMAGE_PREFIX. The image has to hold the agent: npm run images -- nest-relay -agents PACKAGE@VERSION.

backend: AGENT_BACKEND, else the one contribute-setup kept (${backends.map(({ name }) => name).join(", ")})
`;

/** What the relay in the pod works with, besides hub, backend and secrets. */
const IN_CONFIG = [
  "CONTRIBUTOR_ID",
  "CONTRIBUTOR_USERNAME",
  "AGENT_MODEL",
  "AGENT_REASONING_EFFORT",
  "NEST_AGENT_ROLE",
  "NEST_AGENT_ENV",
  "NEST_SESSION",
  "NEST_GITHUB_URL",
  "NEST_GITHUB_API_URL",
  "GOOSE_PROVIDER",
  "GOOSE_MODEL",
];
const NAMESPACE = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/** `contribute-k8s [namespace] [output-file] [image-tag]`: writes the manifests of a relay in a cluster. */
export const contributeK8s: Command = async (args, deps) => {
  const { flags, words, help } = parseFlags(args, { secret: "text" }, USAGE);
  if (help) {
    deps.out.write(USAGE);
    return 0;
  }
  const [namespace = "nest-contributor", file, tag = "latest", ...rest] = words;
  if (rest[0] !== undefined) throw new UsageError(`unknown argument ${rest[0]}`, { usage: USAGE });
  if (!NAMESPACE.test(namespace))
    throw new UsageError(`namespace: "${namespace}" is no name of a namespace`, {
      hint: "lowercase letters, digits and dashes, at most 63",
    });
  if (!TAG.test(tag)) throw new UsageError(`image-tag: "${tag}" is no tag`);
  if (flags.secret !== undefined && !NAMESPACE.test(flags.secret))
    throw new UsageError(`-secret: "${flags.secret}" is no name of a Secret`);
  const saved = keptFor(deps.environment, await readSaved(deps.environment));
  const read = (name: string) => variable(deps.environment, name) ?? saved[name];
  const [hub, token] = [read("NEST_HUB"), read("NEST_REGISTRATION_TOKEN")];
  if (hub === undefined || token === undefined) {
    throw new NestError("not_registered", "this machine is not registered at a hub", {
      hint: "contribute-setup <backend>",
    });
  }
  const backend = requireBackend([deps.environment.AGENT_BACKEND || saved.AGENT_BACKEND || "claude"], "contribute-k8s");
  if (!canBeDelivered(backend, deps, flags.secret !== undefined)) return 1;
  const login =
    flags.secret === undefined
      ? await codeHostLogin({ ...deps, environment: withKeptCodeHost(deps.environment, saved) })
      : undefined;
  if (login !== undefined && "gap" in login) throw new NestError("code_host_login_missing", login.gap);
  for (const name of ["NEST_HUB", "NEST_GITHUB_URL", "NEST_GITHUB_API_URL"]) warnOfLoopback(name, read(name), deps);
  const image = tagged(relayImage({ ...saved, ...deps.environment }), tag);
  const text = manifestsOf({
    namespace,
    image,
    config: {
      ...Object.fromEntries(IN_CONFIG.map((name) => [name, read(name)])),
      NEST_HUB: hub,
      AGENT_BACKEND: backend.name,
    },
    secret:
      flags.secret === undefined
        ? { NEST_REGISTRATION_TOKEN: token, GH_TOKEN: login?.token.reveal(), ...credentials(backend, deps) }
        : undefined,
    secretName: flags.secret ?? "nest-contributor-secrets",
  });
  if (isLocal(image))
    deps.error.write(
      `contribute-k8s: ${image} is in no registry, so every node has to have it: ${howToGet(image, backend.npmPackage)}\n`,
    );
  if (file === undefined) {
    deps.out.write(text);
    return 0;
  }
  await writeFileAtomic(file, text, { mode: 0o600 });
  deps.error.write(`Written to ${file} (0600: it holds your tokens). Apply it with: kubectl apply -f ${file}\n`);
  return 0;
};

/** In a pod, an address of this machine alone leads to the pod itself. */
function warnOfLoopback(name: string, value: string | undefined, deps: CommandDeps): void {
  const address = value?.split(",").find((one) => URL.canParse(one) && isLoopback(hostOf(one)));
  if (address === undefined) return;
  deps.error.write(
    `contribute-k8s: warning: ${name} is ${address}, which in a pod is the pod itself: change it in contributor.env to an address that the cluster reaches\n`,
  );
}

function hostOf(address: string): string {
  return new URL(address).hostname.replace(/^\[|\]$/g, "");
}

/** The backend's credential as far as variables carry it. */
function credentials(backend: Backend, { environment }: CommandDeps): Record<string, string> {
  const names =
    backend.name === "litellm" ? ["NEST_LITELLM_ENDPOINT", "NEST_LITELLM_API_KEY"] : backend.credentialVariables;
  const secret = /(?:KEY|TOKEN|AUTH|ENDPOINT)/;
  return Object.fromEntries(
    names.flatMap((name) => (secret.test(name) && environment[name] ? [[name, environment[name]]] : [])),
  );
}

/** Whether manifests may be made for the backend. A missing credential that a Secret could still bring is only a warning. */
function canBeDelivered(backend: Backend, deps: CommandDeps, hasOwnSecret: boolean): boolean {
  const warn = (why: string) => deps.error.write(`contribute-k8s: warning: ${why}\n`);
  if (backend.oneShot === undefined)
    warn(
      `${backend.name} has no headless mode: every task fails in a pod; contribute-hive ${backend.name} local works`,
    );
  if (backend.name !== "agy") {
    if (!hasOwnSecret && Object.keys(credentials(backend, deps)).length === 0)
      warn(`no credential of ${backend.name} is in the environment: the pod cannot authenticate`);
    return true;
  }
  warn("agy signs in interactively and works on the host only: the pod cannot authenticate");
  if (variable(deps.environment, "NEST_K8S_ALLOW_MISSING_BACKEND_CREDENTIALS") === "1") return true;
  deps.error.write(
    "contribute-k8s: hint: use contribute-hive agy local, or NEST_K8S_ALLOW_MISSING_BACKEND_CREDENTIALS=1 to print all the same\n",
  );
  return false;
}
