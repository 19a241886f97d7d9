import proxyAddress from "@fastify/proxy-addr";
import type { CodeHost } from "@nest/codehost";
import {
  type Changes,
  ClaimLedger,
  CommandBatcher,
  type Effect,
  type HubDatabase,
  isNamedBefore,
  LeaseDecider,
  Ledger,
  Monitor,
  openStorage,
  pendingPullRequests,
  pullRequestAt,
  Queue,
  type QueueFeed,
  ReplicaFeed,
  type ReplicaUpdate,
  RepositoryVisibility,
  roleFor,
  rolesOf,
  SharedMonitor,
  Unblocker,
  Verifier,
} from "@nest/dispatch";
import type { Clock, Log, Random } from "@nest/kit";
import { type Durations, scaleDurations, scaleTransport } from "@nest/protocol";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { budgetsOf } from "./access/budgets.ts";
import { buildAccess } from "./access/build-access.ts";
import { knownHost } from "./access/known-host.ts";
import { networkOf } from "./access/network-of.ts";
import { Once } from "./access/once.ts";
import { RouteRegistry } from "./access/route-registry.ts";
import { registerAccessRoutes } from "./access/routes.ts";
import { USER_SETTING } from "./access/shared-users.ts";
import { Throttle } from "./access/throttle.ts";
import type { HubConfig } from "./config.ts";
import { ContributorReadModel } from "./contributors/contributor-read-model.ts";
import { leaderboardOf } from "./contributors/leaderboard.ts";
import { registerContributorRoutes } from "./contributors/routes.ts";
import { FleetRegistry } from "./fleet/registry.ts";
import { registerFleetRoutes } from "./fleet/routes.ts";
import { buildHttp } from "./http.ts";
import { ActivityPruner } from "./operations/activity-pruner.ts";
import { DoneByHour } from "./operations/done-by-hour.ts";
import { EventStream } from "./operations/event-stream.ts";
import { Metrics } from "./operations/metrics.ts";
import { ReadModel, type Visibility } from "./operations/read-model.ts";
import { registerOperationsRoutes } from "./operations/routes.ts";
import { WaitHistogram } from "./operations/wait-histogram.ts";
import { registerApp } from "./pages/app-page.ts";
import { loginPage } from "./pages/login-page.ts";
import { registerPages } from "./pages/routes.ts";
import { sendPage } from "./pages/send-page.ts";
import { registerQueueRoutes } from "./queue/routes.ts";
import { Webhooks } from "./queue/webhooks.ts";
import { ConfigApplier } from "./queue-settings/config-applier.ts";
import { QueueSettings } from "./queue-settings/queue-settings.ts";
import { registerQueueSettingsRoutes } from "./queue-settings/routes.ts";
import { liveTimes } from "./queue-settings/rules.ts";
import { Gateway } from "./relays/gateway.ts";
import { Peers } from "./relays/peers.ts";
import { TaskCredentials } from "./relays/task-credentials.ts";

export interface HubDeps {
  readonly config: HubConfig;
  readonly database: HubDatabase;
  readonly codeHost: CodeHost;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Everything that a hub is made of, wired; nothing listens and nothing runs yet. */
export interface Hub {
  readonly http: FastifyInstance;
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly queue: Queue;
  readonly monitor: QueueFeed;
  readonly gateway: Gateway;
  readonly registry: FleetRegistry;
  readonly readModel: ReadModel;
  /** Starts reading the code host, sweeping leases and finishing interrupted verifications. */
  start(): Promise<void>;
  /** Sends relays away (they come back), writes what is waiting, closes the database. */
  stop(): Promise<void>;
}

/** Wrong tokens from one address before it has to wait. */
const MOST_GUESSES = { most: 100, withinMs: 60_000 };

/** Wires the hub's features to each other: the only file that knows them all. */
export async function buildHub({ config, database, codeHost, clock, random, log }: HubDeps): Promise<Hub> {
  const fixedTimes = scaleDurations(config.clockScale);
  const engine = await openStorage(database, { times: fixedTimes, clock, random, log });
  const { reader, replica, bus, scans, shared } = engine;
  const ledger = new Ledger(await engine.load(), engine.ledger);
  const queueSettings = new QueueSettings({
    ledger,
    first: config.contribute,
    onCompiled: () => applied.changed(),
    onInvalid: (because) =>
      log.error({ err: because }, "patterns of the configuration are none here; those before hold"),
  });
  const times: Durations = liveTimes(fixedTimes, config.clockScale, () => queueSettings.settings);
  const policy = () => queueSettings.rules.decider;
  const queue = new Queue({ ledger, times });
  const claims = new ClaimLedger(await scans.claims());
  const doneByHour = new DoneByHour();
  const waits = new WaitHistogram();
  await doneByHour.load(reader, clock.now());
  const trusted = proxyAddress.compile([...config.trustedProxies]);
  const isKnownHost = knownHost({
    names: [config.host, ...(config.publicUrl === undefined ? [] : [config.publicUrl]), ...config.hosts],
    isProxy: (address) => trusted(address, 0),
    proxiesAreNamed: config.trustedProxiesAreNamed,
  });
  const replicaCount = () => bus.others + 1;
  const guesses = new Throttle(clock, MOST_GUESSES, replicaCount);
  const budgets = budgetsOf(clock, replicaCount);
  const roleOf = (contributorId: string, requested: string | undefined) =>
    roleFor(ledger, contributorId, requested, queueSettings.settings.contribute_delegatable_roles);

  const decider = new LeaseDecider({
    ledger,
    candidates: queue,
    policy,
    times,
    newTaskId: (gen) => `task-${gen.toString(36)}-${random.hex(6)}`,
    pullRequestAt: (address, repo) => pullRequestAt(address, repo, config.webUrl),
  });
  const batcher: CommandBatcher = new CommandBatcher({
    ledger,
    decider,
    store: engine.ledger,
    clock,
    log,
    carryOut,
    onCommitted,
    onNews,
  });
  const credentials = new TaskCredentials({ codeHost, clock, times, log, onChange: () => changedHere() });
  const gateway = new Gateway({
    replica,
    bus,
    isElsewhere: (identity) => peers.have(identity),
    batcher,
    ledger,
    queue,
    credentials,
    models: () => queueSettings.rules.models,
    roleOf,
    limitsOf: (contributorId) => records.limitsLeft(contributorId, clock.now()),
    announcement: () => queueSettings.settings.contribute_announcement,
    guesses,
    isKnownHost,
    addressOf: (request) => networkOf(proxyAddress(request, trusted)),
    clock,
    random,
    times,
    transport: scaleTransport(config.clockScale),
    log,
    onChange: () => changedHere(),
    onAssigned: (waitedMs) => waits.count(waitedMs, clock.now()),
  });
  const applied = new ConfigApplier({ queueSettings, queue, gateway, clock });
  const verifier = new Verifier({
    codeHost,
    ledger,
    webUrl: config.webUrl,
    clock,
    random,
    log,
    submit: (command) => batcher.submit(command),
    isNamedBefore: (prUrl, gen) => isNamedBefore(reader, prUrl, gen),
  });
  const { repos, webUrl, evalIntervalMs } = config;
  const visibility = new RepositoryVisibility(ledger, (command) => batcher.ask(command));
  const unblocker = new Unblocker({ codeHost, ledger, clock, log, ask: (command) => batcher.ask(command) });
  const staleMs = () => (queueSettings.settings.contribute_claim_stale_hours * 3_600_000) / config.clockScale;
  const newMonitor = () =>
    new Monitor({
      codeHost,
      queue,
      claims,
      scans,
      visibility,
      unblocker,
      repos,
      webUrl,
      clock,
      random,
      times,
      staleMs,
      evalIntervalMs,
      log,
    });
  const sharedMonitor =
    shared === undefined
      ? undefined
      : new SharedMonitor({
          bus,
          scans: shared.scans,
          follower: new ReplicaFeed({ scans: shared.scans, queue, claims, clock, log }),
          newMonitor,
        });
  const monitor: QueueFeed = sharedMonitor ?? newMonitor();
  const peers = new Peers(bus, clock);
  const registry = new FleetRegistry({ dataDir: config.dataDir, clock, times, log, bus });
  await registry.load();
  const active = () => {
    const ids = new Set(peers.relays().map(({ row }) => row.contributor_id));
    for (const { relayIdentity } of gateway.sessions())
      if (relayIdentity !== undefined) ids.add(relayIdentity.contributorId);
    return ids;
  };
  const readModel = new ReadModel({
    ledger,
    queue,
    gateway,
    monitor,
    reader,
    peers,
    clock,
    doneByHour,
    webUrl,
    settings: () => queueSettings.settings,
    roles: ({ relayIdentity, declared }) => ({
      inForce: roleOf(relayIdentity?.contributorId ?? "", declared.role),
      assigned: rolesOf(ledger, relayIdentity?.contributorId ?? "").assigned,
    }),
  });
  peers.tell(() => readModel.ownRelays());
  const stream = new EventStream(readModel, clock);
  await stream.load();
  const metrics = new Metrics({
    connected: () => gateway.connected,
    leases: () => ledger.leaseCount,
    actionable: () => queue.actionable,
    withheld: () => queue.withheldCounts(),
    watchers: () => stream.watchers,
    malformed: () => gateway.counts.malformed,
    turnedAway: () => gateway.turnedAway,
    refused: () => gateway.counts.refused,
    pendingVerifications: () => verifier.pending,
  });

  const { sessions, signIn, identity } = await buildAccess({
    config,
    keyOfAll: engine.key,
    codeHost,
    ledger,
    batcher,
    isShared: shared !== undefined,
    guesses,
    clock,
    random,
  });

  const http = buildHttp(log, trusted, isKnownHost);
  const routes = new RouteRegistry(http, { admit: (route, request) => identity.admit(route, request) });
  const now = () => clock.now();
  const ownAddress = ({ protocol, host }: FastifyRequest) => config.publicUrl ?? `${protocol}://${host}`;
  const everybodySees: Visibility = (repo) => visibility.isPublic(repo);
  const board = { ledger, doneByHour, webUrl, active };
  const webhooks = new Webhooks({
    secret: config.webhookSecret,
    monitor,
    once: new Once({ ledger, batcher, clock, prefix: "delivery:", actor: "code-host" }),
  });
  const viewerOf = (request: FastifyRequest) => identity.viewerOf(request);
  registerOperationsRoutes(routes, { readModel, stream, metrics, doneByHour, waits, now, everybodySees, viewerOf });
  registerQueueRoutes(routes, { queue, monitor, ledger, batcher, webhooks, now });
  registerQueueSettingsRoutes(routes, {
    queueSettings,
    batcher,
    queue,
    gateway,
    settled: () => applied.settled(),
    now,
  });
  const records = new ContributorReadModel({
    ledger,
    reader,
    times,
    policy,
    active,
    assignedSince: (from) => doneByHour.since(from),
    now,
  });
  registerContributorRoutes(routes, {
    registration: {
      codeHost,
      ledger,
      batcher,
      random,
      openRegistration: () => queueSettings.settings.open_registration,
    },
    records,
    leaderboard: board,
    policy,
    registrations: budgets.registrations,
    now,
  });
  registerFleetRoutes(routes, { registry, readModel, ledger });
  registerAccessRoutes(routes, {
    sessions,
    signIn,
    identity,
    webUrl,
    ownAddress,
    onSignOut: () => void stream.review(),
    signIns: budgets.signIns,
    signInPolls: budgets.signInPolls,
    showLogin: (reply, to, hasDeviceFlow) => sendPage(reply, loginPage(to, hasDeviceFlow)),
  });
  registerPages(http, routes, {
    status: () => readModel.status(everybodySees),
    activity: async (count) => (await readModel.activity(count, undefined, everybodySees)).activity,
    settings: () => queueSettings.settings,
    leaderboard: (window) => leaderboardOf(board, window, now()),
    ownAddress,
    codeHost,
    clock,
    styleFetches: budgets.styleFetches,
  });
  registerApp(http, routes, { random });
  gateway.attach(http.server);

  function carryOut(effect: Effect): void {
    if (effect.kind === "verify") verifier.verify(effect);
    else gateway.carryOut(effect);
  }

  function onCommitted(changes: Changes): void {
    metrics.count(changes);
    notice(changes);
    // A pull request that counts is also a claim: read its repository soon instead of at the next round.
    if (changes.pullRequests.length > 0) void monitor.refresh().catch(() => undefined);
  }

  /** What another replica made durable concerns our watchers, our queue and our sockets too. */
  function onNews(news: ReplicaUpdate, lost: readonly string[]): void {
    gateway.recall(lost);
    if (news.kind === "everything") {
      doneByHour
        .load(reader, clock.now())
        .catch((thrown) => log.warn({ err: thrown }, "the charts could not be read anew"));
      applied.changed();
      gateway.review();
      stream.change();
      return;
    }
    for (const { changes, effects } of news.batches) {
      notice(changes);
      for (const effect of effects.flat()) gateway.carryOut(effect);
    }
  }

  function notice(changes: Changes): void {
    doneByHour.count(changes);
    stream.tell(changes.activity);
    if (queueSettings.isChangedBy(changes.settings)) applied.changed();
    if (changes.settings.size > 0) stream.change();
    if ([...changes.settings.keys()].some((name) => name.startsWith(USER_SETTING))) void stream.review();
  }

  /** Something about our relays that people watch has changed, here or at any replica. */
  function changedHere(): void {
    stream.change();
    peers.changed();
  }

  async function verifyPending(): Promise<void> {
    for (const pending of await pendingPullRequests(reader)) verifier.verify(pending);
  }

  peers.onChanged(() => stream.change());
  bus.onGap(() => batcher.requestSync());
  if (shared !== undefined && sharedMonitor !== undefined) {
    const { events, replicas } = shared;
    events.onBatch = () => batcher.requestSync();
    events.onLeader = async () => {
      await sharedMonitor.lead();
      await verifyPending();
    };
    events.onNotLeader = () => sharedMonitor.follow();
    events.onGone = async (gone) => {
      await batcher.ask({ kind: "replica_lost", replica: gone });
      // What it was verifying, somebody else must.
      if (replicas.isLeader)
        verifyPending().catch((thrown) => log.warn({ err: thrown }, "verifications were not taken over"));
    };
  }

  const isMine = () => shared?.replicas.isLeader ?? true;
  const pruner = new ActivityPruner({ database: reader, isMine, clock, log });
  let stopSweep = () => {};
  return {
    http,
    ledger,
    batcher,
    queue,
    monitor,
    gateway,
    registry,
    readModel,
    async start() {
      if (shared === undefined) await verifyPending();
      else await shared.replicas.start();
      monitor.start();
      pruner.start();
      stopSweep = clock.every(times.leaseSweepMs, () => {
        batcher.submit({ kind: "sweep" });
        queue.wake(clock.now());
      });
    },
    async stop() {
      stopSweep();
      pruner.stop();
      monitor.stop();
      verifier.stop();
      stream.close();
      gateway.drain();
      await http.close();
      await registry.save();
      await batcher.close();
      await engine.close();
    },
  };
}
