import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { GitHub } from "@nest/codehost";
import {
  type Clock,
  type Environment,
  makePrivateFolder,
  NestError,
  onShutdownSignal,
  ProgressLine,
  Secret,
  systemClock,
  writeFileAtomic,
} from "@nest/kit";
import {
  DEMO_CONTRIBUTORS,
  DEMO_HUB_TOKEN,
  DEMO_ORG,
  DEMO_REPOSITORIES,
  demoSeed,
  type LocalCodeHost,
  startLocalCodeHost,
} from "../local-codehost/index.ts";
import { type Choices, readChoices, type Served, USAGE } from "./choices.ts";
import { feedLine, followFeed } from "./feed.ts";
import { membership } from "./membership.ts";
import { Program } from "./program.ts";

const DEMO_AGENT = join(import.meta.dirname, "..", "demo-agent", "demo-agent");

/** Everything that was started, to be stopped in the reverse order. */
interface Running {
  readonly stops: (() => Promise<void>)[];
  stopping: boolean;
}

/** Where the code host is and who we are there. */
interface Place {
  readonly apiUrl: string;
  readonly webUrl: string;
  readonly login: string;
  /** The contributor's own token, for the agent; undefined with an app. */
  readonly ownToken: string | undefined;
  readonly hubYaml: object;
  readonly hubEnvironment: Readonly<Record<string, string>>;
  readonly words: string;
}

/**
 * `nest up`: the product on one machine, from one command. Returns when everything runs; Ctrl-C drains and stops it, and the
 * same command goes on where it was.
 *
 * @throws UsageError for wrong flags; NestError when a part cannot start, after stopping those that did.
 */
export async function runUp(args: readonly string[], environment: Environment): Promise<void> {
  const choices = readChoices(args, environment);
  if (choices === undefined) {
    process.stdout.write(USAGE);
    return;
  }
  const clock = systemClock();
  const running: Running = { stops: [], stopping: false };
  onShutdownSignal(clock, async () => {
    process.stderr.write("\nstopping: the relay gives its task back, the hub keeps what it knows\n");
    await stopAll(running);
  });
  const progress = new ProgressLine(process.stderr);
  try {
    await startAll(choices, environment, clock, running, progress);
  } catch (thrown) {
    progress.end();
    await stopAll(running);
    throw thrown;
  }
}

async function startAll(
  choices: Choices,
  environment: Environment,
  clock: Clock,
  running: Running,
  progress: ProgressLine,
): Promise<void> {
  const { root } = choices;
  const folders = {
    logs: join(root, "logs"),
    hub: join(root, "hub"),
    spoke: join(root, "spoke"),
    relay: join(root, "relay"),
  };
  if (choices.served.kind === "demo" && choices.served.fresh) {
    for (const part of ["hub", "spoke", "relay", "codehost"])
      await rm(join(root, part), { recursive: true, force: true });
  }
  for (const folder of Object.values(folders)) await makePrivateFolder(folder);

  progress.show("starting the code host …");
  const place = await findPlace(choices.served, join(root, "codehost"), environment, clock, running);
  const hubFile = join(folders.hub, "hub.yaml");
  await writeFileAtomic(hubFile, `${JSON.stringify(place.hubYaml, null, 2)}\n`);

  const base = baseEnvironment(environment, place);
  const launch = async (name: string, own: Record<string, string>) => {
    progress.show(`starting the ${name} …`);
    const program = await Program.start({ name, environment: { ...base, ...own }, logFolder: folders.logs, clock });
    running.stops.push(() => program.stop());
    program.ended.then(
      (how) => unexpectedEnd(program, how, running),
      () => {},
    );
    return program;
  };

  const hub = await launch("hub", {
    ...place.hubEnvironment,
    NEST_DATA_DIR: folders.hub,
    NEST_CONFIG: hubFile,
    NEST_HUB_PORT: String(await usable(choices.hubPort, 8080)),
  });
  const hubUrl = await hub.ready();

  const spokeFile = join(folders.spoke, "nest.yaml");
  await writeFileAtomic(spokeFile, `${JSON.stringify(spokeYaml(place, hubUrl), null, 2)}\n`);
  const terminalPort = await usable(choices.terminalPort, 3001);
  const spoke = await launch("spoke", {
    NEST_DATA_DIR: folders.spoke,
    NEST_CONFIG: spokeFile,
    NEST_SPOKE_DASHBOARD_PORT: String(await usable(choices.dashboardPort, 3002)),
    NEST_SPOKE_TERMINAL_PORT: String(terminalPort),
    NEST_HUB_URL: hubUrl,
    NEST_HUB_SECRET: (await hubSecret(folders.hub)) ?? "",
  });
  const spokeUrl = await spoke.ready();

  if (choices.relay) {
    const { contributorId, token } = await membership(hubUrl, folders.relay, place.login, place.ownToken);
    await launch("relay", relayEnvironment(choices, place, hubUrl, folders.relay, contributorId, token));
  }
  progress.end();
  announce(choices, place, hubUrl, spokeUrl, terminalPort);
  follow(hubUrl, running);
}

/** The code host to be served: ours, started here, or a real one. */
async function findPlace(
  served: Served,
  folder: string,
  environment: Environment,
  clock: Clock,
  running: Running,
): Promise<Place> {
  const governor = (contribute: object) => ({
    eval_interval_s: served.kind === "demo" ? 15 : 60,
    // One's own machine serves oneself: no hourly or daily limit.
    contribute: {
      tier_limits: { newcomer: { max_per_hour: 0, max_per_day: 0 }, contributor: { max_per_hour: 0, max_per_day: 0 } },
      ...contribute,
    },
  });
  if (served.kind === "demo") {
    const port = await usable(served.port, 8090);
    const host: LocalCodeHost = await startLocalCodeHost({ port, dataDir: folder, seed: await demoSeed(), clock });
    running.stops.push(() => host.close());
    const [contributor] = DEMO_CONTRIBUTORS;
    return {
      apiUrl: host.apiUrl,
      webUrl: host.webUrl,
      login: contributor.login,
      ownToken: contributor.token,
      hubYaml: {
        project: { org: DEMO_ORG, repos: DEMO_REPOSITORIES },
        github: { token: DEMO_HUB_TOKEN },
        governor: governor({ open_registration: true }),
      },
      hubEnvironment: {},
      words: `${host.webUrl}/${DEMO_ORG}   a local stand-in with three repositories (no -repo was given)`,
    };
  }
  const apiUrl = environment.NEST_GITHUB_API_URL ?? "https://api.github.com";
  const webUrl =
    environment.NEST_GITHUB_URL ??
    (apiUrl === "https://api.github.com" ? "https://github.com" : apiUrl.replace(/\/api\/v3\/?$/, ""));
  const [org = ""] = (served.repos[0] ?? "").split("/");
  const project = { org, repos: served.repos };
  const words = `${webUrl}   ${served.repos.join(", ")}`;
  if (served.kind === "app") {
    const github = { app_id: served.appId, installation_id: served.installationId, key_file: served.keyFile };
    return {
      apiUrl,
      webUrl,
      login: served.login,
      ownToken: undefined,
      hubYaml: { project, github, governor: governor({ open_registration: true }) },
      hubEnvironment: {},
      words,
    };
  }
  const token = new Secret(served.token);
  const who = await new GitHub({ credentials: { kind: "token", token }, apiUrl, clock }).whoIs(token);
  if (who === undefined)
    throw new NestError("token_refused", "GITHUB_TOKEN: the code host refuses it", {
      hint: `check that it belongs to ${apiUrl} and has not expired`,
    });
  // The file names the variable; the token itself is never written down.
  const hubYaml = { project, github: { token: "$" + "{GITHUB_TOKEN}" }, governor: governor({}) };
  return {
    apiUrl,
    webUrl,
    login: who.login,
    ownToken: served.token,
    hubYaml,
    hubEnvironment: { GITHUB_TOKEN: served.token },
    words,
  };
}

/** What every program may see of this environment. */
function baseEnvironment(environment: Environment, place: Place): Record<string, string> {
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

function relayEnvironment(
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

function spokeYaml(place: Place, hubUrl: string): object {
  const { project, github } = place.hubYaml as { project: object; github: object };
  return {
    project,
    github,
    agents: {},
    dashboard: { port: 3002, authorized_users: [`${place.login}:owner`], hub_proxied: false },
    hub: { enabled: true, url: hubUrl, is_public: true },
    acmm_level: 2,
  };
}

/** The usual port when it is free, any free one when it is not; a port that was asked for is taken as it is. */
async function usable(asked: number | undefined, usual: number): Promise<number> {
  if (asked !== undefined) return asked;
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(0));
    probe.listen(usual, "127.0.0.1", () => probe.close(() => resolve(usual)));
  });
}

async function hubSecret(hubFolder: string): Promise<string | undefined> {
  const { readTextIfPresent } = await import("@nest/kit");
  return (await readTextIfPresent(join(hubFolder, "saas", "hub-secret.key")))?.trim();
}

function announce(choices: Choices, place: Place, hubUrl: string, spokeUrl: string, terminalPort: number): void {
  const agent =
    choices.backend === undefined ? "the demo agent" : [choices.backend, choices.model].filter(Boolean).join(" ");
  const relay = choices.relay
    ? `${place.login}, with ${agent}${choices.interactive ? " (tmux attach -t contributor)" : ""}`
    : "not started (-no-relay)";
  const terminal = terminalPort === 0 ? "" : `, terminal on ${terminalPort}`;
  const again = choices.served.kind === "demo" ? " (or begin anew with -fresh)" : "";
  process.stdout.write(`
Nest is running.

  hub         ${hubUrl}   watch issues become pull requests
  spoke       ${spokeUrl}   one team's nest${terminal}
  code host   ${place.words}
  relay       ${relay}

  data        ${choices.root}
  logs        ${join(choices.root, "logs")}

Ctrl-C stops everything; the same command goes on where it was${again}.

`);
}

/** Says what happens, line by line, until the end. */
function follow(hubUrl: string, running: Running): void {
  const stop = new AbortController();
  running.stops.push(async () => stop.abort());
  const tell = (entry: Parameters<typeof feedLine>[0]) => {
    const line = feedLine(entry);
    if (line !== undefined) process.stdout.write(`${line}\n`);
  };
  followFeed(hubUrl, tell, stop.signal).catch(() => {});
}

function unexpectedEnd(program: Program, how: string, running: Running): void {
  if (running.stopping) return;
  process.stderr.write(`nest up: error: the ${program.name} ${how}\nnest up: hint: its log is ${program.logFile}\n`);
  void stopAll(running).then(() => process.exit(1));
}

async function stopAll(running: Running): Promise<void> {
  running.stopping = true;
  for (const stop of running.stops.splice(0).reverse()) await stop().catch(() => {});
}
