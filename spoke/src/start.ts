import type { AddressInfo } from "node:net";
import { webAddress } from "@nest/http";
import { type Clock, type Environment, type Log, type Random, UsageError } from "@nest/kit";
import { type Heartbeat, scaleDurations } from "@nest/protocol";
import type { FastifyInstance } from "fastify";
import { knownNest, mayUse } from "./access/admit.ts";
import { buildAccess, type NestAccess } from "./access/build-access.ts";
import { mustKeepOwner } from "./access/grants.ts";
import { buildAgents } from "./agents/build-agents.ts";
import { governorSettings } from "./agents/governor-settings.ts";
import { buildDashboard, buildTerminal } from "./app.ts";
import { appendAudit } from "./backup/audit.ts";
import { Backup } from "./backup/backup.ts";
import { linkCodeHost } from "./codehost/code-host.ts";
import { Configuration } from "./config/configuration.ts";
import type { NestYaml } from "./config/nest-yaml.ts";
import { type HubLink, hubLink, type SpokeSettings } from "./config/settings.ts";
import { liveness } from "./health/liveness.ts";
import { spokeMetrics } from "./health/metrics.ts";
import { heartbeatBody } from "./heartbeat/body.ts";
import { HEARTBEAT_PERIOD_MS, HeartbeatLoop } from "./heartbeat/loop.ts";
import { refusalTeller } from "./heartbeat/refusals.ts";
import { type Outcome, sendHeartbeat } from "./heartbeat/send.ts";
import { nestId } from "./identity/nest-id.ts";
import { Notifier } from "./notifications/notifier.ts";
import { homePage } from "./pages/home-page.ts";
import { TerminalGateway } from "./terminal/gateway.ts";
import { ptyOpener } from "./terminal/pty.ts";

const DAY_MS = 86_400_000;

export interface SpokeParts {
  readonly settings: SpokeSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly version: string;
  /** Ends the nest and starts it anew; the route that asks for it says so where there is none. */
  readonly restart?: (() => void) | undefined;
}

/** A spoke that listens on both ports. */
export interface RunningSpoke {
  readonly dashboardUrl: string;
  readonly terminalUrl: string;
  /** Stops the heartbeats, then both listeners. */
  close(): Promise<void>;
}

/**
 * Starts a spoke: identity, both ports, heartbeats.
 *
 * @throws UsageError when configuration is wrong; nothing listens then.
 */
export async function startSpoke(parts: SpokeParts): Promise<RunningSpoke> {
  const { settings, clock, log, version } = parts;
  const configuration = await Configuration.open(parts);
  const config = configuration.running;
  const hub = hubLink(settings, config);
  const id = await nestId(settings.dataFolder, parts.random);
  const bootedAt = clock.now();
  if (hub !== undefined && hub.secret === undefined)
    log.warn("NEST_HUB_SECRET is not set: the hub will refuse the heartbeats");

  const staleMs = scaleDurations(settings.clockScale).registryStaleMs;
  const backup = new Backup({
    dataFolder: settings.dataFolder,
    filesFolder: settings.backupFolder,
    secretsFolder: settings.secretsFolder,
    environment: settings.environment,
    nestId: id,
    version,
    clock,
    random: parts.random,
    log,
    settings: async () => (await configuration.now()).governor.backup,
  });
  const link = await linkCodeHost(config.github, parts);
  const nestAgents = await buildAgents(governorSettings(config, settings.clockScale), {
    ...parts,
    link,
    secrets: [settings.hubSecret, settings.dashboardToken].flatMap((secret) => secret?.reveal() ?? []),
  });
  const facts = () => ({
    nestId: id,
    version,
    startedAt: bootedAt,
    now: clock.now(),
    agents: nestAgents.governor.agents,
    governor: nestAgents.governor.status,
    tokens24h: nestAgents.runs.tokensSince(clock.now() - DAY_MS),
    isUnlinked: link.because !== undefined,
  });
  const tellOfHub = refusalTeller((event) => nestAgents.feed.tell(event));
  const loop = hub && heartbeatsTo(hub, () => heartbeatBody(configuration.inForce, facts()), { ...parts, tellOfHub });
  const notifier = new Notifier(
    {
      ...{ clock, log, random: parts.random, nestId: id, dataFolder: settings.dataFolder, webBase: settings.webUrl },
      environment: settings.environment,
      address: () => config.dashboard.public_url ?? config.hub.dashboard_url,
      redact: (text) => nestAgents.secrets.redact(text),
    },
    config,
  );
  nestAgents.feed.onLine((line) => notifier.tell(line));
  const access = await accessOf(configuration, parts);
  const { keeper, signIn } = access;
  configuration.beforeSave((entries) => mustKeepOwner(signIn.users, entries));
  configuration.onSaved(async (saved) => {
    nestAgents.governor.apply(governorSettings(saved, settings.clockScale));
    await signIn.grants.apply(saved.dashboard.authorized_users ?? []);
    notifier.apply(saved);
  });
  const isKnownHost = knownNest(settings.host, config, keeper);
  const hasAgent = (name: string) => nestAgents.governor.agents.some((agent) => agent.name === name);
  const terminals = new TerminalGateway({
    ...{ keeper, isKnownHost, hasAgent, clock, log },
    attach: (agent, isReadOnly) => nestAgents.terminals.attach(agent, isReadOnly),
    openPty: ptyOpener(terminalEnvironment(settings.environment)),
  });
  access.sessions.onEnd(() => terminals.recheck());
  const port = {
    ...{ log, isKnownHost, keeper, signIn, terminals, random: parts.random },
    agentNames: () => nestAgents.governor.agents.map(({ name }) => name),
  };
  const dashboard = await buildDashboard({
    ...port,
    version,
    metrics: spokeMetrics({
      lastSuccessAt: () => loop?.lastSuccessAt,
      counts: () => loop?.counts ?? { accepted: 0, rejected: 0, unreachable: 0 },
    }),
    liveness: () =>
      liveness(
        loop && {
          bootedAt,
          lastSuccessAt: loop.lastSuccessAt,
          lastAttemptAt: loop.lastAttemptAt,
          judgedBy: config.hub.liveness,
          staleMs,
        },
        clock.now(),
      ),
    backup,
    clock,
    agentRoutes: {
      agents: nestAgents,
      dataFolder: settings.dataFolder,
      now: () => clock.now(),
      about: () => ({
        nest_id: id,
        version,
        ...projectOf(configuration.inForce),
        ...(hub === undefined ? {} : { hub: hubState(hub.base, loop) }),
      }),
      switchAgent: (name, change, by) =>
        configuration.change(
          Object.entries(change).map(([key, value]) => [["agents", name, key], value ?? undefined]),
          by,
        ),
    },
    configRoutes: {
      configuration,
      audit: (actor, action, values) =>
        appendAudit(settings.dataFolder, { at: new Date(clock.now()).toISOString(), actor, action, ...values }),
      restart: parts.restart,
    },
    healthRoutes: {
      agents: nestAgents,
      configuration,
      version,
      nestId: id,
      checked: () => ({
        governor: nestAgents.governor,
        startedAt: bootedAt,
        now: clock.now(),
        unlinked: link.because,
        hub: hub && { lastOutcome: loop?.lastOutcome },
        backupTrouble: async () => (await backup.status()).reason,
        ledgerProblems: () => nestAgents.ledgers.problems(),
        notificationTrouble: () => notifier.trouble,
        dataFolder: settings.dataFolder,
      }),
    },
    notificationRoutes: {
      notifier,
      audit: (actor, action, values) =>
        appendAudit(settings.dataFolder, { at: new Date(clock.now()).toISOString(), actor, action, ...values }),
    },
    home: async (visitor) =>
      homePage({
        nestId: id,
        version,
        config: configuration.inForce,
        notUsed: mayUse("member", visitor) ? await configuration.rejected() : [],
        mayRead: visitor.kind !== "stranger",
        signIn: signIn.way(),
        hub: hub && { base: hub.base, lastSuccessAt: loop?.lastSuccessAt, lastOutcome: loop?.lastOutcome },
        now: clock.now(),
      }),
  });
  const terminal = await buildTerminal(port);
  const close = async () => {
    await loop?.stop();
    terminals.close();
    await nestAgents.close();
    await notifier.close();
    await Promise.all([dashboard.close(), terminal.close()]);
    await Promise.all([backup.settled(), access.sessions.settled()]);
  };
  try {
    const dashboardUrl = await listen(
      dashboard,
      settings.host,
      settings.dashboardPort ?? config.dashboard.port ?? 3002,
    );
    const terminalUrl = await listen(terminal, settings.host, settings.terminalPort);
    loop?.start();
    nestAgents.governor.start();
    nestAgents.feed.tell({ action: "nest started" });
    return { dashboardUrl, terminalUrl, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
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

function projectOf({ project: { org, primary_repo } }: NestYaml) {
  return { ...(org === undefined ? {} : { org }), ...(primary_repo === undefined ? {} : { primary_repo }) };
}

function hubState(url: string, loop: HeartbeatLoop | undefined) {
  const { lastSuccessAt, lastOutcome } = loop ?? {};
  return {
    url,
    ...(lastSuccessAt === undefined ? {} : { last_accepted_at: new Date(lastSuccessAt).toISOString() }),
    ...(lastOutcome === undefined ? {} : { last_outcome: lastOutcome.kind }),
  };
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

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code !== "EADDRINUSE" && code !== "EACCES" && code !== "EADDRNOTAVAIL") throw thrown;
    throw new UsageError(`cannot listen on ${host}:${port}: ${code === "EADDRINUSE" ? "the port is taken" : code}`);
  }
  const bound = app.server.address() as AddressInfo;
  return webAddress(bound.address, bound.port);
}
