import type { CodeHost } from "@nest/codehost";
import { pullRequestLink } from "@nest/codehost";
import type { Clock, Log, Random } from "@nest/kit";
import {
  type Durations,
  defaultTierLimits,
  scaleDurations,
  scaleTransport,
  type Tier,
  type TierLimits,
} from "@nest/protocol";
import type { FastifyInstance } from "fastify";
import type { HubConfig } from "./config.ts";
import { Verifier } from "./contributors/verifier.ts";
import { SqliteLedger } from "./database/ledger-sqlite.ts";
import type { HubDatabase } from "./database/sqlite.ts";
import { FleetRegistry } from "./fleet/registry.ts";
import { buildHttp } from "./http.ts";
import type { Effect } from "./leases/commands.ts";
import { Desk, type DeskPolicy } from "./leases/desk.ts";
import { LeaseBook } from "./leases/lease-book.ts";
import { type Changes, Ledger } from "./leases/ledger.ts";
import { EventStream } from "./operations/event-stream.ts";
import { Metrics } from "./operations/metrics.ts";
import { ReadModel } from "./operations/read-model.ts";
import { ClaimLedger } from "./queue/claim-ledger.ts";
import { compileFilters, compileList } from "./queue/filters.ts";
import { Monitor } from "./queue/monitor.ts";
import { Queue } from "./queue/queue.ts";
import { Gateway } from "./relays/gateway.ts";
import { TaskCredentials } from "./relays/task-credentials.ts";

export interface HubParts {
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
  readonly book: LeaseBook;
  readonly queue: Queue;
  readonly monitor: Monitor;
  readonly gateway: Gateway;
  readonly registry: FleetRegistry;
  readonly readModel: ReadModel;
  /** Starts reading the code host, sweeping leases and finishing interrupted verifications. */
  start(): void;
  /** Sends relays away (they come back), writes what is waiting, closes the database. */
  stop(): Promise<void>;
}

/** Wires the hub's features to each other: the only file that knows them all. */
export async function buildHub({ config, database, codeHost, clock, random, log }: HubParts): Promise<Hub> {
  const times: Durations = scaleDurations(config.clockScale);
  const disk = new SqliteLedger(database.sqlite);
  const ledger = new Ledger(disk.load(clock.now(), times.leaseTtlMs), disk);
  const queue = new Queue({ ledger, times });
  queue.setFilter(compileFilters(config.contribute), clock.now());
  const claims = new ClaimLedger(database.sqlite);
  const policy = policyOf(config);
  const models = {
    accepted: compileList("contribute_allow_models", config.contribute.contribute_allow_models, "whole"),
    rejectUnknown: config.contribute.contribute_reject_unknown_models,
  };

  const desk = new Desk({
    ledger,
    candidates: queue,
    policy: () => policy,
    times,
    newTaskId: (gen) => `task-${gen.toString(36)}-${random.hex(6)}`,
    isPullRequestOf: (prUrl, repo) => pullRequestLink(prUrl, config.webUrl)?.repo.toLowerCase() === repo.toLowerCase(),
  });
  const book: LeaseBook = new LeaseBook({ ledger, desk, disk, clock, log, carryOut, onCommitted });
  const credentials = new TaskCredentials({ codeHost, clock, times, log });
  const gateway = new Gateway({
    book,
    ledger,
    queue,
    credentials,
    models: () => models,
    clock,
    random,
    times,
    transport: scaleTransport(config.clockScale),
    log,
    onChange: () => stream.change(),
  });
  const verifier = new Verifier({
    codeHost,
    ledger,
    webUrl: config.webUrl,
    clock,
    random,
    log,
    submit: (command) => book.submit(command),
  });
  const { repos, webUrl, evalIntervalMs } = config;
  const monitor = new Monitor({ codeHost, queue, claims, repos, webUrl, clock, random, times, evalIntervalMs, log });
  const registry = new FleetRegistry({ dataDir: config.dataDir, clock, times, log });
  await registry.load();
  const readModel = new ReadModel({
    ledger,
    queue,
    gateway,
    monitor,
    sqlite: database.sqlite,
    clock,
    isSuspended: () => policy.suspended,
  });
  const stream = new EventStream(readModel, clock);
  const metrics = new Metrics({
    connected: () => gateway.connected,
    leases: () => ledger.leaseCount,
    actionable: () => queue.actionable,
    withheld: () => queue.withheldCounts(),
    watchers: () => stream.watchers,
    malformed: () => gateway.counts.malformed,
    turnedAway: () => gateway.counts.turnedAway,
    refused: () => gateway.counts.refused,
    pendingVerifications: () => verifier.pending,
  });
  const http = buildHttp({
    config,
    codeHost,
    ledger,
    book,
    queue,
    monitor,
    registry,
    readModel,
    stream,
    metrics,
    policy,
    random,
    log,
  });
  gateway.attach(http.server);

  function carryOut(effect: Effect): void {
    if (effect.kind === "verify") verifier.verify(effect);
    else gateway.carryOut(effect);
  }

  function onCommitted(changes: Changes): void {
    metrics.count(changes);
    stream.tell(changes.activity);
    // A pull request that counts is also a claim: read its repository soon instead of at the next round.
    if (changes.pullRequests.length > 0) void monitor.refresh();
  }

  let stopSweep = () => {};
  return {
    http,
    ledger,
    book,
    queue,
    monitor,
    gateway,
    registry,
    readModel,
    start() {
      monitor.start();
      for (const pending of disk.pendingPullRequests()) verifier.verify(pending);
      stopSweep = clock.every(times.leaseSweepMs, () => {
        book.submit({ kind: "sweep" });
        queue.wake(clock.now());
      });
    },
    async stop() {
      stopSweep();
      monitor.stop();
      verifier.stop();
      stream.close();
      gateway.drain();
      await http.close();
      await registry.save();
      book.close();
      database.close();
    },
  };
}

function policyOf({ contribute }: HubConfig): DeskPolicy {
  const limits: Record<string, TierLimits> = {};
  for (const [tier, defaults] of Object.entries(defaultTierLimits)) {
    const set = Object.entries(contribute.tier_limits[tier as keyof typeof defaultTierLimits] ?? {}).filter(
      ([, value]) => value !== undefined,
    );
    limits[tier] = { ...defaults, ...Object.fromEntries(set) };
  }
  return {
    suspended: contribute.contribute_suspended,
    disabledTiers: new Set<Tier>(contribute.disabled_tiers),
    limits: limits as DeskPolicy["limits"],
    promotion: { contributorAt: contribute.contribute_contributor_at, trustedAt: contribute.contribute_trusted_at },
  };
}
