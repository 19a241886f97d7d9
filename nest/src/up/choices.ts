import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { type Environment, parseFlags, UsageError, variable } from "@nest/kit";

export const USAGE = `usage: nest up [flags]

Runs everything on this machine: a hub, one spoke and one relay. Without a code host of your own a local one comes with it:
four small repositories, some fifty issues, and a demo agent that really resolves them.

Your own repositories:
  -repo owner/name        serve this repository (may be given as a comma-separated list); needs GITHUB_TOKEN, or an app:
  -app-id N               a code-host app instead of a token, with
  -installation-id N        its installation and
  -app-key FILE             its private key, and
  -login NAME               who you are there (the relay registers as this login)

The agent:
  -backend NAME           claude, codex, copilot, goose, … (default: the demo agent; claude with -repo)
  -model NAME             model for that backend
  -interactive            run the agent in a tmux session that you can watch and type in

Where:
  -data DIR               where everything is kept (default ~/.local/share/nest)
  -hub-port N             default 8080
  -dashboard-port N       default 3002
  -terminal-port N        default 3001
  -codehost-port N        of the local code host (default 8090)
  -pace MS                pauses of the demo agent, so that one can follow (default 600)
  -fresh                  forget the demo's earlier state first
  -no-relay               hub and spoke only

Hosted nests:
  -hosted                 also a cluster on this machine, so that nests can be created in the browser (/my-nests) and opened.
                          It needs Linux, root, podman, the nests' image (npm run images -- nest-spoke) and a Kubernetes API
                          server: found in KUBEBUILDER_ASSETS or on PATH, or built once with Go, which takes some ten minutes.
                          What is missing is told here and on these pages; everything else works without it.
  -entrance-port N        where created nests are opened, at http://NEST.localhost:N (default 8088)

environment: GITHUB_TOKEN, NEST_GITHUB_API_URL, NEST_GITHUB_URL (GitHub Enterprise), NEST_DATA_DIR
`;

const FLAGS = {
  repo: "text",
  "app-id": "text",
  "installation-id": "number",
  "app-key": "text",
  login: "text",
  backend: "text",
  model: "text",
  interactive: "switch",
  data: "text",
  "hub-port": "number",
  "dashboard-port": "number",
  "terminal-port": "number",
  "codehost-port": "number",
  pace: "number",
  fresh: "switch",
  "no-relay": "switch",
  hosted: "switch",
  "entrance-port": "number",
} as const;

/** The code host that is served: the local one, or a real one with how the hub is known there. */
export type Served =
  | { readonly kind: "demo"; readonly port: number | undefined; readonly fresh: boolean }
  | { readonly kind: "token"; readonly repos: readonly string[]; readonly token: string }
  | {
      readonly kind: "app";
      readonly repos: readonly string[];
      readonly appId: string;
      readonly installationId: number;
      readonly keyFile: string;
      readonly login: string;
    };

export interface Choices {
  readonly root: string;
  readonly served: Served;
  /** Undefined: the demo agent. */
  readonly backend: string | undefined;
  readonly model: string | undefined;
  readonly interactive: boolean;
  readonly paceMs: number;
  readonly relay: boolean;
  /** Undefined: the usual port, or a free one when it is taken. */
  readonly hubPort: number | undefined;
  readonly dashboardPort: number | undefined;
  readonly terminalPort: number | undefined;
  /** A cluster on this machine for hosted nests; undefined: none. */
  readonly hosted: { readonly entrancePort: number | undefined } | undefined;
}

/**
 * What the person asked for; undefined when it was help.
 *
 * @throws UsageError naming the flag or variable that is wrong or missing.
 */
export function readChoices(args: readonly string[], environment: Environment): Choices | undefined {
  const { flags, words, help } = parseFlags(args, FLAGS, USAGE);
  if (help) return undefined;
  if (words[0] !== undefined) throw new UsageError(`unknown argument ${words[0]}`, { usage: USAGE });
  const served = readServed(flags, environment);
  const data = flags.data ?? variable(environment, "NEST_DATA_DIR");
  const share = environment.XDG_DATA_HOME || join(homedir(), ".local", "share");
  return {
    root: data === undefined ? join(share, "nest", served.kind === "demo" ? "demo" : "up") : resolve(data),
    served,
    backend: flags.backend ?? (served.kind === "demo" ? undefined : "claude"),
    model: flags.model,
    interactive: flags.interactive ?? false,
    paceMs: flags.pace ?? 600,
    relay: !(flags["no-relay"] ?? false),
    hubPort: port("hub-port", flags["hub-port"]),
    dashboardPort: port("dashboard-port", flags["dashboard-port"]),
    terminalPort: port("terminal-port", flags["terminal-port"]),
    hosted: readHosted(flags, served),
  };
}

type Flags = ReturnType<typeof parseFlags<typeof FLAGS>>["flags"];

function readHosted(flags: Flags, served: Served): Choices["hosted"] {
  const entrancePort = port("entrance-port", flags["entrance-port"]);
  if (flags.hosted !== true) {
    if (entrancePort !== undefined) throw new UsageError("-entrance-port needs -hosted");
    return undefined;
  }
  // Their pods have a network of their own, from which only this machine is reached.
  if (served.kind !== "demo")
    throw new UsageError("-hosted works with the local code host alone, not with -repo", {
      hint: "nests for repositories of yours live on a real cluster: docs/operations.md",
    });
  return { entrancePort };
}

function readServed(flags: Flags, environment: Environment): Served {
  const repos = (flags.repo ?? "")
    .split(",")
    .map((repo) => repo.trim())
    .filter((repo) => repo !== "");
  for (const repo of repos) {
    if (!/^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(repo)) throw new UsageError(`-repo: "${repo}" is not owner/name`);
  }
  if (repos.length === 0) {
    const needless = (["app-id", "app-key", "installation-id", "login"] as const).find(
      (name) => flags[name] !== undefined,
    );
    if (needless !== undefined) throw new UsageError(`-${needless} needs -repo owner/name`);
    return { kind: "demo", port: port("codehost-port", flags["codehost-port"]), fresh: flags.fresh ?? false };
  }
  const appId = flags["app-id"];
  if (appId !== undefined) {
    const [installationId, keyFile, login] = [flags["installation-id"], flags["app-key"], flags.login];
    if (installationId === undefined) throw new UsageError("-app-id needs -installation-id");
    if (keyFile === undefined) throw new UsageError("-app-id needs -app-key");
    if (login === undefined)
      throw new UsageError("-app-id needs -login", { hint: "your login on the code host: pull requests count for it" });
    return { kind: "app", repos, appId, installationId, keyFile: resolve(keyFile), login };
  }
  const token = environment.GITHUB_TOKEN || environment.GH_TOKEN;
  if (token === undefined || token === "") {
    throw new UsageError("GITHUB_TOKEN: is needed with -repo", {
      hint: "set it to a token that may read the repository and open pull requests, or give -app-id",
    });
  }
  return { kind: "token", repos, token };
}

function port(name: string, value: number | undefined): number | undefined {
  if (value !== undefined && (value < 0 || value > 65_535)) throw new UsageError(`-${name}: ${value} is no port`);
  return value;
}
