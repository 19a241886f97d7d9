import type { IncomingMessage } from "node:http";
import { Throttle } from "@nest/auth";
import type { CommandBatcher, Ledger, Queue, QueueFeed } from "@nest/dispatch";
import { addressOf, buildServer, knownHost, networkOf, type Trust, trustIn } from "@nest/http";
import type { FastifyInstance } from "fastify";
import { buildAccess } from "./access/build-access.ts";
import { takeRestoreNote } from "./alerts/restored.ts";
import { type Alerts, buildAlerts } from "./build-alerts.ts";
import { buildDispatch, type Dispatch, type DispatchDeps } from "./build-dispatch.ts";
import { buildNests, type Nests, type NestsDeps } from "./build-nests.ts";
import { buildOperations, type Operations } from "./build-operations.ts";
import { buildRelays } from "./build-relays.ts";
import { registerRoutes } from "./build-routes.ts";
import { buildStatistics, type Statistics } from "./build-statistics.ts";
import type { HubConfig } from "./config.ts";
import { ContributorLimits } from "./contributors/contributor-limits.ts";
import type { FleetRegistry } from "./fleet/registry.ts";
import type { ReadModel } from "./operations/read-model.ts";
import type { Gateway } from "./relays/gateway.ts";

export interface HubDeps extends DispatchDeps, Pick<NestsDeps, "connectCluster"> {}

/** A hub with all its parts wired; nothing listens or runs yet. */
export interface Hub {
  readonly http: FastifyInstance;
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly queue: Queue;
  readonly monitor: QueueFeed;
  readonly gateway: Gateway;
  readonly registry: FleetRegistry;
  readonly readModel: ReadModel;
  /** Starts reading the code host, expiring leases and finishing interrupted verifications. */
  start(): Promise<void>;
  /** Closes the relays' connections (they reconnect), writes the waiting commands, closes the database. */
  stop(): Promise<void>;
}

const hostNames = {
  what: "hub",
  hint: "the operator sets NEST_HUB_PUBLIC_URL to the address that people use, or names more in NEST_HUB_HOSTS",
} as const;

/** Number of invalid tokens from one address before it has to wait. */
const WRONG_TOKENS = { most: 100, withinMs: 60_000 };

/** Wires a hub: dispatch decides, relays connect, operations watch, routes answer. */
export async function buildHub(deps: HubDeps): Promise<Hub> {
  const { config, codeHost, clock, random, log } = deps;
  const dispatch = await buildDispatch(deps);
  const { storage, ledger, batcher, queue, monitor, queueSettings, times } = dispatch;
  const trusted = trustIn(config.trustedProxies);
  const isKnownHost = hostsOf(config, trusted);
  const replicaCount = () => storage.bus.others + 1;
  const wrongTokens = new Throttle(clock, WRONG_TOKENS, replicaCount);
  const limits = new ContributorLimits({ ledger, times, policy: () => queueSettings.rules.decider });
  const relays = buildRelays({
    dispatch,
    codeHost,
    clockScale: config.clockScale,
    wrongTokens,
    isKnownHost,
    addressOf: (request) => networkOf(addressOf(request, trusted)),
    limitsOf: (contributorId) => limits.left(contributorId, clock.now()),
    clock,
    random,
    log,
  });
  const { gateway } = relays;
  const operations = await buildOperations({ config, dispatch, relays, codeHost, clock, log });
  const { registry, readModel } = operations;
  const statistics = buildStatistics(dispatch, { clock, log });
  const http = await buildServer({ log, isKnownHost, names: hostNames, trustProxy: trusted });
  const access = await buildAccess({
    settings: config,
    keyOfAll: storage.key,
    codeHost,
    ledger,
    batcher,
    isShared: storage.shared !== undefined,
    wrongTokens,
    clock,
    random,
    onSpokeRefused: (nestId) => registry.noteRejected(nestId),
  });
  const alerts = await buildAlerts({
    ...{ config, dispatch, relays, operations, clock, random, log },
    apiTokens: access.apiTokens,
  });
  const { connectCluster } = deps;
  const nests = await buildNests({ config, dispatch, access, registry, connectCluster, clock, random, log });
  await registerRoutes({
    http,
    config,
    codeHost,
    dispatch,
    relays,
    operations,
    statistics,
    alerts,
    access,
    nests,
    limits,
    replicaCount,
    clock,
    random,
    log,
  });
  gateway.attach(http.server);
  followReplicas(dispatch, nests, deps);

  return {
    http,
    ledger,
    batcher,
    queue,
    monitor,
    gateway,
    registry,
    readModel,
    ...lifeOf({ dispatch, operations, statistics, alerts, nests, gateway, http }, deps),
  };
}

interface Parts extends Pick<Hub, "gateway" | "http"> {
  readonly dispatch: Dispatch;
  readonly operations: Operations;
  readonly statistics: Statistics;
  readonly alerts: Alerts;
  readonly nests: Nests;
}

/** The order in which the parts begin their work, and in which they end it. */
function lifeOf(
  { dispatch, operations, statistics, alerts, nests, gateway, http }: Parts,
  { config, clock, log }: Pick<HubDeps, "config" | "clock" | "log">,
): Pick<Hub, "start" | "stop"> {
  const { storage, ledger, batcher, queue, monitor, times } = dispatch;
  let stopSweep = () => {};
  return {
    async start() {
      if (storage.shared === undefined) await dispatch.verifyPending();
      else await storage.shared.replicas.start();
      await takeRestoreNote(config.dataDir, { ledger, batcher, log });
      monitor.start();
      operations.pruner.start();
      operations.outputs.start();
      statistics.start();
      alerts.watch.start();
      await nests.start();
      stopSweep = clock.every(times.leaseSweepMs, () => {
        batcher.submit({ kind: "sweep" });
        queue.wake(clock.now());
      });
    },
    async stop() {
      // First of all: relays go elsewhere while the rest comes to its end.
      gateway.drain();
      stopSweep();
      operations.pruner.stop();
      await operations.outputs.stop();
      await statistics.stop();
      await alerts.close();
      monitor.stop();
      dispatch.verifier.stop();
      operations.stream.close();
      await nests.close();
      await http.close();
      await operations.registry.save();
      await dispatch.patternJudge.close();
      await batcher.close();
      await storage.close();
    },
  };
}

/** Whether a request names this hub by a host name that it knows. */
function hostsOf(config: HubConfig, trusted: Trust): (request: IncomingMessage) => boolean {
  return knownHost({
    names: [config.host, ...(config.publicUrl === undefined ? [] : [config.publicUrl]), ...config.hosts],
    isProxy: (address) => trusted(address, 0),
    proxiesAreNamed: config.trustedProxiesAreNamed,
  });
}

/** Subscribes to other replicas: their batches, their deaths, and changes of the leader. */
function followReplicas(
  { storage, batcher, sharedMonitor, verifyPending }: Dispatch,
  nests: Nests,
  { log }: HubDeps,
): void {
  const { bus, shared } = storage;
  bus.onGap(() => batcher.requestSync());
  shared?.listen({
    batch: () => batcher.requestSync(),
    async gone(replica) {
      await batcher.ask({ kind: "replica_lost", replica });
      // The dead replica's verifications have to be finished by another one.
      if (shared.replicas.isLeader)
        verifyPending().catch((thrown) =>
          log.warn({ err: thrown }, "could not take over another replica's verifications"),
        );
      // And its work on hosted nests.
      if (shared.replicas.isLeader)
        nests.provisioner.resumeAll().catch((thrown) => log.warn({ err: thrown }, "could not take over work on nests"));
    },
    async lead() {
      await sharedMonitor?.lead();
      await verifyPending();
      await nests.lead();
    },
    follow() {
      sharedMonitor?.follow();
      void nests.follow();
    },
  });
}
