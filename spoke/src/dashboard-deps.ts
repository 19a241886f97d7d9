import { scaleDurations } from "@nest/protocol";
import { mayUse } from "./access/admit.ts";
import type { DashboardDeps } from "./app.ts";
import { appendAudit } from "./backup/audit.ts";
import type { Nest } from "./build-nest.ts";
import type { NestYaml } from "./config/nest-yaml.ts";
import { liveness } from "./health/liveness.ts";
import type { HeartbeatLoop } from "./heartbeat/loop.ts";
import { homePage } from "./pages/home-page.ts";

/** What the dashboard's routes ask of a nest, each at the moment of the request. */
export function dashboardDeps(nest: Nest): DashboardDeps {
  const { backup, configuration, agents, port, parts } = nest;
  const { settings, clock, version } = parts;
  const now = () => clock.now();
  const audit = (actor: string, action: string, values?: { before?: unknown; after?: unknown }) => {
    parts.log.info({ actor, keys: Object.keys(values?.after ?? {}) }, action);
    return appendAudit(settings.dataFolder, { at: new Date(now()).toISOString(), actor, action, ...values });
  };
  return {
    ...port,
    version,
    clock,
    backup,
    metrics: metricsOf(nest),
    liveness: () => livenessOf(nest),
    agentRoutes: {
      agents,
      dataFolder: settings.dataFolder,
      log: parts.log,
      now,
      about: () => about(nest),
      switchAgent: (name, change, by) =>
        configuration.change(
          Object.entries(change).map(([key, value]) => [["agents", name, key], value ?? undefined]),
          by,
        ),
    },
    configRoutes: { configuration, audit, tell: (event) => agents.feed.tell(event), restart: parts.restart },
    healthRoutes: { agents, configuration, version, nestId: nest.id, checked: () => checked(nest) },
    notificationRoutes: { notifier: nest.notifier, audit },
    home: async (visitor) =>
      homePage({
        nestId: nest.id,
        version,
        config: configuration.inForce,
        notUsed: mayUse("member", visitor) ? await configuration.rejected() : [],
        visitor,
        signIn: port.signIn.way(),
        hub: nest.hub && {
          base: nest.hub.base,
          lastSuccessAt: nest.loop?.lastSuccessAt,
          lastOutcome: nest.loop?.lastOutcome,
        },
        now: now(),
      }),
  };
}

function metricsOf({ loop }: Nest): DashboardDeps["metrics"] {
  let registry: ReturnType<DashboardDeps["metrics"]> | undefined;
  const make = async () => {
    const { spokeMetrics } = await import("./health/metrics.ts");
    return spokeMetrics({
      lastSuccessAt: () => loop?.lastSuccessAt,
      counts: () => loop?.counts ?? { accepted: 0, rejected: 0, unreachable: 0 },
    });
  };
  return () => {
    registry ??= make();
    return registry;
  };
}

function livenessOf({ loop, bootedAt, configuration, parts: { settings, clock } }: Nest) {
  const pulse = loop && {
    bootedAt,
    lastSuccessAt: loop.lastSuccessAt,
    lastAttemptAt: loop.lastAttemptAt,
    judgedBy: configuration.running.hub.liveness,
    staleMs: scaleDurations(settings.clockScale).registryStaleMs,
  };
  return liveness(pulse, clock.now());
}

function checked({
  agents,
  bootedAt,
  configuration,
  link,
  hub,
  loop,
  backup,
  notifier,
  parts: { settings, clock },
}: Nest) {
  return {
    governor: agents.governor,
    startedAt: bootedAt,
    now: clock.now(),
    unlinked: link.because,
    hub: hub && { lastOutcome: loop?.lastOutcome },
    backupTrouble: async () => (await backup.status()).reason,
    ledgerProblems: () => agents.ledgers.problems(),
    notificationTrouble: () => notifier.trouble,
    configurationTrouble: () => configuration.troubles(),
    dataFolder: settings.dataFolder,
  };
}

function about({ id, configuration, hub, loop, parts: { version } }: Nest) {
  return {
    nest_id: id,
    version,
    ...projectOf(configuration.inForce),
    ...(hub === undefined ? {} : { hub: hubState(hub.base, loop) }),
  };
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
