import { rm } from "node:fs/promises";
import { join } from "node:path";
import { backendOf, backends, findBinary } from "@nest/agents";
import {
  type Clock,
  type Environment,
  makePrivateFolder,
  onShutdownSignal,
  ProgressLine,
  readTextIfPresent,
  systemClock,
  systemRandom,
  UsageError,
  variable,
  writeFileAtomic,
} from "@nest/kit";
import { agentWords, announcement } from "./announce.ts";
import { buildBrowserApp } from "./browser-app.ts";
import { type Choices, readChoices, USAGE } from "./choices.ts";
import { baseEnvironment, relayEnvironment, spokeEnvironment, spokeYaml } from "./environment.ts";
import { feedLine, followFeed } from "./feed.ts";
import { forgetHosted, startHosted } from "./hosted.ts";
import { membership, trust } from "./membership.ts";
import { findPlace } from "./place.ts";
import { usable } from "./port.ts";
import { Program } from "./program.ts";
import { type Running, stopAll } from "./running.ts";

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
  await checkAgent(choices, environment);
  const clock = systemClock();
  const running: Running = { stops: [], started: false, stopping: false };
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

/** Refuses to start a relay whose agent is missing. The relay alone would start, and take no work, without a word here. */
async function checkAgent({ backend: name, relay }: Choices, environment: Environment): Promise<void> {
  if (name === undefined || !relay) return;
  const backend = backendOf(name);
  if (backend === undefined) {
    throw new UsageError(`-backend: ${name} is none of ${backends.map((one) => one.name).join(", ")}`);
  }
  const command = variable(environment, "NEST_AGENT_COMMAND") ?? backend.binary;
  if ((await findBinary(command, environment.PATH)) !== undefined) return;
  throw new UsageError(`-backend: ${command} is not on PATH`, {
    hint: `install the ${name} CLI and sign in, choose another with -backend, or start without an agent with -no-relay`,
  });
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
    await forgetHosted(join(root, "cluster"));
    for (const part of ["hub", "spoke", "relay", "codehost"])
      await rm(join(root, part), { recursive: true, force: true });
  }
  for (const folder of Object.values(folders)) await makePrivateFolder(folder);

  const hasBrowserApp = await buildBrowserApp();
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

  const hosted =
    choices.hosted === undefined
      ? undefined
      : await startHosted({
          folder: join(root, "cluster"),
          hubFolder: folders.hub,
          ports: { hub: choices.hubPort, entrance: choices.hosted.entrancePort },
          codeHostUrl: place.webUrl,
          environment,
          clock,
          running,
          progress,
          tell: (line) => void process.stderr.write(`${line}\n`),
        });

  const adminToken = systemRandom().hex(32);
  const hub = await launch("hub", {
    ...place.hubEnvironment,
    NEST_HUB_ADMIN_TOKEN: adminToken,
    NEST_DATA_DIR: folders.hub,
    NEST_CONFIG: hubFile,
    NEST_HUB_PORT: String(await usable(choices.hubPort, 8080)),
    ...hosted?.hubEnvironment,
  });
  const hubUrl = await hub.ready();

  const spokeFile = join(folders.spoke, "nest.yaml");
  await writeFileAtomic(spokeFile, `${JSON.stringify(spokeYaml(place, hubUrl), null, 2)}\n`);
  const terminalPort = await usable(choices.terminalPort, 3001);
  const spoke = await launch("spoke", {
    ...spokeEnvironment(choices, place),
    NEST_DATA_DIR: folders.spoke,
    NEST_CONFIG: spokeFile,
    NEST_SPOKE_DASHBOARD_PORT: String(await usable(choices.dashboardPort, 3002)),
    NEST_SPOKE_TERMINAL_PORT: String(terminalPort),
    NEST_HUB_URL: hubUrl,
    NEST_HUB_SECRET: (await hubSecret(folders.hub)) ?? "",
  });
  const spokeUrl = await spoke.ready();

  let attach: string | undefined;
  if (choices.relay) {
    const { contributorId, token } = await membership(hubUrl, folders.relay, place.login, {
      proof: place.ownToken,
      adminToken,
    });
    // With an app, the tier decides what an agent may do; on their own machine people trust themselves to push.
    if (place.ownToken === undefined) await trust(hubUrl, contributorId, adminToken);
    const relay = await launch("relay", relayEnvironment(choices, place, hubUrl, folders.relay, contributorId, token));
    if (choices.interactive) attach = await relay.logged(/watch the agent with: (.+)/);
  }
  running.started = true;
  progress.end();
  process.stdout.write(announcement(choices, place, { hubUrl, spokeUrl, terminalPort, hasBrowserApp, hosted, attach }));
  void hosted?.finish();
  follow(hubUrl, agentWords(choices), running);
}

async function hubSecret(hubFolder: string): Promise<string | undefined> {
  return (await readTextIfPresent(join(hubFolder, "saas", "hub-secret.key")))?.trim();
}

/** Prints what happens, line by line, until everything stops. */
function follow(hubUrl: string, agent: string, running: Running): void {
  const stop = new AbortController();
  running.stops.push(async () => stop.abort());
  const tell = (entry: Parameters<typeof feedLine>[0]) => {
    process.stdout.write(`${feedLine(entry, agent)}\n`);
  };
  followFeed(hubUrl, tell, stop.signal).catch(() => {});
}

function unexpectedEnd(program: Program, how: string, running: Running): void {
  if (running.stopping || !running.started) return;
  process.stderr.write(`nest up: error: the ${program.name} ${how}\nnest up: hint: its log is ${program.logFile}\n`);
  void stopAll(running).then(() => process.exit(1));
}
