import { resolve } from "node:path";
import { type Environment, variable } from "@nest/kit";
import type { Heartbeat } from "@nest/protocol";
import { knownNest } from "./access/admit.ts";
import { buildAccess, type NestAccess } from "./access/build-access.ts";
import { mustBeGrants } from "./access/grants.ts";
import { buildAgents, type NestAgents } from "./agents/build-agents.ts";
import { governorSettings } from "./agents/governor-settings.ts";
import type { PortDeps } from "./app.ts";
import { appendAudit } from "./backup/audit.ts";
import { Backup } from "./backup/backup.ts";
import { type CodeHostLink, linkCodeHost } from "./codehost/code-host.ts";
import { Configuration } from "./config/configuration.ts";
import type { NestYaml } from "./config/nest-yaml.ts";
import { type HubLink, hubLink, type SpokeSettings } from "./config/settings.ts";
import { heartbeatBody } from "./heartbeat/body.ts";
import { HEARTBEAT_PERIOD_MS, HeartbeatLoop } from "./heartbeat/loop.ts";
import { refusalTeller } from "./heartbeat/refusals.ts";
import { type Outcome, sendHeartbeat } from "./heartbeat/send.ts";
import { nestId } from "./identity/nest-id.ts";
import { Notifier } from "./notifications/notifier.ts";
import type { SpokeParts } from "./start.ts";
import { TerminalGateway } from "./terminal/gateway.ts";
import { ptyOpener } from "./terminal/pty.ts";

const DAY_MS = 86_400_000;

/** Everything that a nest is made of, before its ports are open. */
export interface Nest {
  readonly parts: SpokeParts;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly bootedAt: number;
  readonly configuration: Configuration;
  readonly hub: HubLink | undefined;
  readonly loop: HeartbeatLoop | undefined;
  readonly backup: Backup;
  readonly link: CodeHostLink;
  readonly agents: NestAgents;
  readonly notifier: Notifier;
  readonly access: NestAccess;
  readonly terminals: TerminalGateway;
  readonly port: PortDeps;
}

/**
 * Puts a nest together: configuration, agents, heartbeats, notifications, access and terminals, wired to each other. Nothing runs yet.
 *
 * @throws UsageError when the configuration is wrong.
 */
export async function buildNest(parts: SpokeParts): Promise<Nest> {
  const { settings, clock, log } = parts;
  const configuration = await Configuration.open(parts);
  const config = configuration.running;
  const hub = hubLink(settings, config);
  if (hub !== undefined && hub.secret === undefined)
    log.warn("NEST_HUB_SECRET is not set: the hub will refuse the heartbeats");
  const id = await nestId(settings.dataFolder, parts.random, variable(settings.environment, "NEST_ID"));
  const bootedAt = clock.now();
  const link = await linkCodeHost(config.github, parts);
  const secrets = [settings.hubSecret, settings.dashboardToken].flatMap((secret) => secret?.reveal() ?? []);
  const agents = await buildAgents(governorSettings(config, settings.clockScale), {
    ...{ ...parts, link, secrets },
    secretFiles: secretFilesOf(settings, config),
  });
  const backup = backupOf(parts, id, configuration, agents);
  const body = () => bodyOf({ id, bootedAt, configuration, agents, link, parts });
  const tellOfHub = refusalTeller((event) => agents.feed.tell(event));
  const loop = hub && heartbeatsTo(hub, body, { ...parts, tellOfHub });
  const notifier = await notifierOf(parts, id, configuration, agents);
  agents.feed.onLine((line) => notifier.tell(line));
  // Not what people and agents said: a log is read by more than the nest is.
  agents.feed.onLine(({ action, agent, issue, run_id }) => log.info({ agent, issue, run_id }, action));
  const access = await accessOf(configuration, parts);
  const { keeper, signIn } = access;
  configuration.beforeSave((entries, by) => mustBeGrants(signIn.users, entries, by));
  configuration.onSaved(async (saved) => {
    agents.governor.apply(governorSettings(saved, settings.clockScale));
    await signIn.grants.apply(saved.dashboard.authorized_users ?? []);
    await notifier.apply(saved);
  });
  const isKnownHost = knownNest(settings.host, config, keeper);
  const hasAgent = (name: string) => agents.governor.agents.some((agent) => agent.name === name);
  const terminals = new TerminalGateway({
    ...{ keeper, isKnownHost, hasAgent, clock, log },
    attach: (agent, isReadOnly) => agents.terminals.attach(agent, isReadOnly),
    openPty: ptyOpener(terminalEnvironment(settings.environment)),
  });
  access.sessions.onEnd(() => terminals.recheck());
  const agentNames = () => agents.governor.agents.map(({ name }) => name);
  const port = { log, isKnownHost, keeper, signIn, terminals, agentNames, random: parts.random };
  return { parts, id, bootedAt, configuration, hub, loop, backup, link, agents, notifier, access, terminals, port };
}

/** Ends everything of a nest that runs; its ports are closed by whoever opened them. */
export async function closeNest({ loop, terminals, agents, notifier, backup, access }: Nest): Promise<void> {
  await loop?.stop();
  terminals.close();
  await agents.close();
  await notifier.close();
  await Promise.all([backup.settled(), access.sessions.settled()]);
}

/** Files that may hold the code host's token, a key of its app, or the backup key. */
function secretFilesOf(
  { configFile, seedFile, dataFolder }: SpokeSettings,
  { github, governor }: NestYaml,
): readonly string[] {
  const keys = [github.key_file, governor.backup.key_file].filter((file) => file !== undefined);
  return [configFile, seedFile, ...keys.map((file) => resolve(dataFolder, file))].filter((file) => file !== undefined);
}

function backupOf(
  { settings, clock, random, log, version }: SpokeParts,
  nestId: string,
  configuration: Configuration,
  { feed }: NestAgents,
): Backup {
  return new Backup({
    tell: (event) => feed.tell(event),
    dataFolder: settings.dataFolder,
    filesFolder: settings.backupFolder,
    secretsFolder: settings.secretsFolder,
    environment: settings.environment,
    nestId,
    version,
    clock,
    random,
    log,
    settings: async () => (await configuration.now()).governor.backup,
  });
}

function notifierOf(
  { settings, clock, random, log }: SpokeParts,
  nestId: string,
  { running }: Configuration,
  agents: NestAgents,
): Promise<Notifier> {
  const deps = {
    ...{ clock, log, random, nestId, dataFolder: settings.dataFolder, webBase: settings.webUrl },
    environment: settings.environment,
    address: () => running.dashboard.public_url ?? running.hub.dashboard_url,
    redact: (text: string) => agents.secrets.redact(text),
  };
  return Notifier.open(deps, running);
}

function bodyOf({
  id,
  bootedAt,
  configuration,
  agents: { governor, runs },
  link,
  parts: { clock, version },
}: Pick<Nest, "id" | "bootedAt" | "configuration" | "agents" | "link" | "parts">): Heartbeat {
  const now = clock.now();
  return heartbeatBody(configuration.inForce, {
    nestId: id,
    version,
    startedAt: bootedAt,
    now,
    agents: governor.agents,
    governor: governor.status,
    tokens24h: runs.tokensSince(now - DAY_MS),
    isUnlinked: link.because !== undefined,
  });
}

function heartbeatsTo(
  hub: HubLink,
  body: () => Heartbeat,
  parts: SpokeParts & { readonly tellOfHub: (outcome: Outcome) => void },
): HeartbeatLoop {
  const { settings, clock, log, random } = parts;
  return new HeartbeatLoop({
    clock,
    log,
    random,
    periodMs: Math.max(1, Math.round(HEARTBEAT_PERIOD_MS / settings.clockScale)),
    send: (signal) => sendHeartbeat(hub, body(), signal),
    onOutcome: parts.tellOfHub,
  });
}

function accessOf(configuration: Configuration, { settings, clock, random, log }: SpokeParts): Promise<NestAccess> {
  return buildAccess({
    ...{ settings, config: configuration.running, clock, random, log },
    saveUsers: (entries, by) => configuration.change([[["dashboard", "authorized_users"], entries]], by),
    audit: (line) => appendAudit(settings.dataFolder, { at: new Date(clock.now()).toISOString(), ...line }),
  });
}

/** What a program that shows a terminal gets: nothing of the nest's own secrets. */
function terminalEnvironment({ PATH = "/usr/bin:/bin", HOME, TMPDIR }: Environment): Record<string, string> {
  const given = { PATH, HOME, TMPDIR, LANG: "C.UTF-8" };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
