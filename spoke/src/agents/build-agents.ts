import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Confinement,
  clearCredentials,
  clearWorkspaces,
  confinementOf,
  confinementSentence,
  findBinary,
  KnownSecrets,
  RunJournal,
  secretsIn,
} from "@nest/agents";
import { pullRequestLink } from "@nest/codehost";
import {
  ActivityFeed,
  AgentLedgers,
  baseEnvironment,
  Governor,
  type GovernorSettings,
  RunStore,
  runner,
  Scanner,
  StateFile,
  Terminals,
  Workspaces,
} from "@nest/governor";
import { type Clock, type Environment, type Log, makePrivateFolder, type Random } from "@nest/kit";
import type { CodeHostLink } from "../codehost/code-host.ts";
import type { SpokeSettings } from "../config/settings.ts";

export interface AgentsDeps {
  readonly settings: SpokeSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly link: CodeHostLink;
  /** Files that may hold a secret: no agent sees them. */
  readonly secretFiles: readonly string[];
  /** Secrets besides the environment's and the code host's. */
  readonly secrets: readonly string[];
}

/** A nest's agents and all that belongs to them. */
export interface NestAgents {
  readonly governor: Governor;
  readonly runs: RunStore;
  readonly feed: ActivityFeed;
  readonly terminals: Terminals;
  readonly ledgers: AgentLedgers;
  readonly secrets: KnownSecrets;
  readonly confinement: Confinement;
  close(): Promise<void>;
}

const NEST_PROGRAM = fileURLToPath(new URL("../../../bin/nest", import.meta.url));

/** Puts the governor and its agents together. Nothing runs before `governor.start()`; agents that a crash left behind are ended. */
export async function buildAgents(initial: GovernorSettings, deps: AgentsDeps): Promise<NestAgents> {
  const { settings, clock, random, log, link } = deps;
  const { dataFolder, environment } = settings;
  const stateFolder = join(dataFolder, "home", "nest");
  await makePrivateFolder(join(dataFolder, "home"));
  await makePrivateFolder(stateFolder);
  const workspaceRoot = join(stateFolder, "workspaces");
  const journal = new RunJournal(stateFolder);
  const leftovers = await journal.endLeftovers(clock);
  if (leftovers > 0) log.warn({ leftovers }, "agents that outlived the nest's program were ended");
  await Promise.all([clearCredentials(stateFolder), clearWorkspaces(workspaceRoot)]);
  const confinement = await confinementOf(settings, environment.PATH);
  log.info(confinementSentence(confinement));
  const secrets = new KnownSecrets([...secretsIn(environment), ...link.secrets, ...deps.secrets]);
  let governor: Governor | undefined;
  const current = () => governor?.settings ?? initial;
  const feed = await ActivityFeed.open({ folder: dataFolder, clock, log });
  const keep = () => current().recordings;
  const runs = await RunStore.open({ folder: join(dataFolder, "runs"), clock, random, log, keep });
  const newMark = () => random.hex(12);
  const terminals = new Terminals({ dataFolder, environment: terminalVariables(environment), journal, newMark });
  const scanner = new Scanner({ ...link, clock, log, webBase: settings.webUrl });
  const git = (await findBinary("git", environment.PATH)) ?? "git";
  const startRun = runner({
    clock,
    log,
    git: { git, clock, redact: (text) => secrets.redact(text) },
    ...link,
    webBase: settings.webUrl,
    environment: baseEnvironment(environment),
    workspaces: new Workspaces(workspaceRoot),
    confinement,
    inContainer: settings.inContainer,
    alsoPass: settings.passToAgent,
    alsoReadable: settings.sandboxRead,
    credentialFolder: stateFolder,
    hidden: [dataFolder, settings.secretsFolder, ...deps.secretFiles.map(placeToHide)],
    nestProgram: NEST_PROGRAM,
    terminals,
    runs,
    secrets,
    journal,
    newMark,
    repos: () => current().repos,
    onHeldPullRequest: async (url) => {
      const pull = pullRequestLink(url, settings.webUrl);
      if (pull !== undefined) await link.codeHost?.addLabels(pull.repo, pull.number, [current().holdLabel]);
    },
    beadsFolder: join(dataFolder, "beads"),
    agentCommand: settings.agentCommand,
  });
  const ledger = new AgentLedgers({
    folder: join(dataFolder, "beads"),
    clock,
    random,
    log,
    agents: () => current().agents.map(({ name }) => name),
  });
  const state = new StateFile(dataFolder, clock, log);
  const endSession = (agent: string) => terminals.end(agent);
  const parts = { clock, log, scanner, state, runs, feed, ledger, startRun, endSession };
  const opened = await Governor.open(initial, { ...parts, trouble: link.because });
  governor = opened;
  return {
    governor: opened,
    runs,
    feed,
    terminals,
    ledgers: ledger,
    secrets,
    confinement,
    async close() {
      await opened.close();
      await Promise.all([terminals.close(), ledger.close()]);
    },
  };
}

/** What a multiplexer's server gets: nothing of the nest's own secrets. */
function terminalVariables(environment: Environment): Record<string, string> {
  const names = ["PATH", "HOME", "LANG", "TERM", "TZ", "TMPDIR"];
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
}

/** A folder of its own below `/etc` is hidden whole, with what else is written there; elsewhere the file alone. */
function placeToHide(file: string): string {
  const folder = dirname(file);
  return folder.startsWith("/etc/") ? folder : file;
}
