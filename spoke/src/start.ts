import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { type Clock, isAbsent, type Log, type Random, UsageError } from "@nest/kit";
import { scaleDurations } from "@nest/protocol";
import type { FastifyInstance } from "fastify";
import { knownHost } from "./access/known-host.ts";
import { buildDashboard, buildTerminal } from "./app.ts";
import { Backup } from "./backup/backup.ts";
import { type NestYaml, readNestYaml } from "./config/nest-yaml.ts";
import { readOverlay } from "./config/overlay.ts";
import { hubLink, type SpokeSettings } from "./config/settings.ts";
import { homePage } from "./dashboard/home-page.ts";
import { mayRead } from "./dashboard/may-read.ts";
import { liveness } from "./health/liveness.ts";
import { spokeMetrics } from "./health/metrics.ts";
import { heartbeatBody } from "./heartbeat/body.ts";
import { HEARTBEAT_PERIOD_MS, HeartbeatLoop } from "./heartbeat/loop.ts";
import { sendHeartbeat } from "./heartbeat/send.ts";
import { nestId } from "./identity/nest-id.ts";

export interface SpokeParts {
  readonly settings: SpokeSettings;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly version: string;
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
  const seed = await configText(settings.configFile);
  const readConfig = async () => readNestYaml(seed, settings.configFile, await readOverlay(settings.dataFolder));
  const config = await readConfig();
  const hub = hubLink(settings, config);
  const id = await nestId(settings.dataFolder, parts.random);
  const bootedAt = clock.now();
  if (hub !== undefined && hub.secret === undefined)
    log.warn("NEST_HUB_SECRET is not set: the hub will refuse the heartbeats");

  const loop =
    hub &&
    new HeartbeatLoop({
      clock,
      log,
      periodMs: Math.max(1, Math.round(HEARTBEAT_PERIOD_MS / settings.clockScale)),
      send: (signal) => sendHeartbeat(hub, heartbeatBody(config, { nestId: id, version, now: clock.now() }), signal),
    });
  const staleMs = scaleDurations(settings.clockScale).registryStaleMs;
  const backup = new Backup({
    dataFolder: settings.backupFolder,
    secretsFolder: settings.secretsFolder,
    environment: settings.environment,
    nestId: id,
    version,
    clock,
    random: parts.random,
    log,
    settings: async () => (await readConfig()).governor.backup,
  });
  const rules = {
    hubProxied: config.dashboard.hub_proxied,
    trustedProxies: config.dashboard.trusted_proxies,
    proxyAuth: settings.dashboardToken,
  };
  const isKnownHost = knownHost(settings.host, config, rules);
  const dashboard = buildDashboard({
    log,
    isKnownHost,
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
    rules,
    backup,
    home: ({ peer, role }) =>
      homePage({
        nestId: id,
        version,
        config,
        mayRead: mayRead({ ...visitRules(settings, config), peer, role }),
        hub: hub && { base: hub.base, lastSuccessAt: loop?.lastSuccessAt, lastOutcome: loop?.lastOutcome },
        now: clock.now(),
      }),
  });
  const terminal = buildTerminal({ log, isKnownHost });
  const close = async () => {
    await loop?.stop();
    await Promise.all([dashboard.close(), terminal.close()]);
    await backup.settled();
  };
  try {
    const dashboardUrl = await listen(
      dashboard,
      settings.host,
      settings.dashboardPort ?? config.dashboard.port ?? 3002,
    );
    const terminalUrl = await listen(terminal, settings.host, settings.terminalPort);
    loop?.start();
    return { dashboardUrl, terminalUrl, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

function visitRules(settings: SpokeSettings, config: NestYaml) {
  return { listensOn: settings.host, isPublic: config.hub.is_public, hubProxied: config.dashboard.hub_proxied };
}

async function configText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (thrown) {
    const what = isAbsent(thrown) ? "there is no such file" : "the file cannot be read";
    throw new UsageError(`NEST_CONFIG: ${file}: ${what}`, { cause: thrown });
  }
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  try {
    await app.listen({ host, port, listenTextResolver: () => "" });
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code !== "EADDRINUSE" && code !== "EACCES" && code !== "EADDRNOTAVAIL") throw thrown;
    throw new UsageError(`cannot listen on ${host}:${port}: ${code === "EADDRINUSE" ? "the port is taken" : code}`);
  }
  const bound = app.server.address() as AddressInfo;
  return `http://${bound.family === "IPv6" ? `[${bound.address}]` : bound.address}:${bound.port}`;
}
