import type { CodeHost } from "@nest/codehost";
import { pullRequestLink } from "@nest/codehost";
import type { Clock, Log, Random } from "@nest/kit";
import { type Durations, scaleDurations, scaleTransport } from "@nest/protocol";
import type { FastifyInstance } from "fastify";
import { Identity } from "./access/identity.ts";
import { registerAccessRoutes } from "./access/routes.ts";
import { Routes } from "./access/routes-of.ts";
import { Sessions } from "./access/sessions.ts";
import { SignIn } from "./access/sign-in.ts";
import { masterKey, Signer } from "./access/signer.ts";
import { Throttle } from "./access/throttle.ts";
import { UserStore } from "./access/users.ts";
import type { HubConfig } from "./config.ts";
import { leaderboardOf } from "./contributors/leaderboard.ts";
import { Records } from "./contributors/records.ts";
import { roleFor, rolesOf } from "./contributors/roles.ts";
import { registerContributorRoutes } from "./contributors/routes.ts";
import { Verifier } from "./contributors/verifier.ts";
import { SqliteLedger } from "./database/ledger-sqlite.ts";
import type { HubDatabase } from "./database/sqlite.ts";
import { FleetRegistry } from "./fleet/registry.ts";
import { registerFleetRoutes } from "./fleet/routes.ts";
import { Applied } from "./governor/applied.ts";
import { Governor } from "./governor/governor.ts";
import { registerGovernorRoutes } from "./governor/routes.ts";
import { liveTimes } from "./governor/rules.ts";
import { buildHttp } from "./http.ts";
import type { Effect } from "./leases/commands.ts";
import { Desk } from "./leases/desk.ts";
import { LeaseBook } from "./leases/lease-book.ts";
import { type Changes, Ledger } from "./leases/ledger.ts";
import { DoneByHour } from "./operations/done-by-hour.ts";
import { EventStream } from "./operations/event-stream.ts";
import { Metrics } from "./operations/metrics.ts";
import { ReadModel, type Sees } from "./operations/read-model.ts";
import { registerOperationsRoutes } from "./operations/routes.ts";
import { registerApp } from "./pages/app-page.ts";
import { loginPage } from "./pages/login-page.ts";
import { registerPages } from "./pages/routes.ts";
import { sendPage } from "./pages/send-page.ts";
import { ClaimLedger } from "./queue/claim-ledger.ts";
import { Monitor } from "./queue/monitor.ts";
import { Queue } from "./queue/queue.ts";
import { registerQueueRoutes } from "./queue/routes.ts";
import { Visibility } from "./queue/visibility.ts";
import { Webhooks } from "./queue/webhooks.ts";
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

/** Wrong tokens from one address before it has to wait. */
const MOST_GUESSES = { most: 100, withinMs: 60_000 };
/** Registrations, and sign-ins begun, from one address. */
const MOST_REGISTRATIONS = { most: 30, withinMs: 60_000 };
const MOST_SIGN_INS = { most: 30, withinMs: 60_000 };

/** Wires the hub's features to each other: the only file that knows them all. */
export async function buildHub({ config, database, codeHost, clock, random, log }: HubParts): Promise<Hub> {
  const fixedTimes = scaleDurations(config.clockScale);
  const disk = new SqliteLedger(database.sqlite);
  const ledger = new Ledger(disk.load(clock.now(), fixedTimes.leaseTtlMs), disk);
  const governor = new Governor({ ledger, first: config.contribute });
  const times: Durations = liveTimes(fixedTimes, config.clockScale, () => governor.settings);
  const policy = () => governor.rules.desk;
  const queue = new Queue({ ledger, times });
  const claims = new ClaimLedger(database.sqlite);
  const doneByHour = new DoneByHour(database.sqlite, clock.now());
  const guesses = new Throttle(clock, MOST_GUESSES);
  const roleOf = (contributorId: string, requested: string | undefined) =>
    roleFor(ledger, contributorId, requested, governor.settings.contribute_delegatable_roles);

  const desk = new Desk({
    ledger,
    candidates: queue,
    policy,
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
    models: () => governor.rules.models,
    roleOf,
    limitsOf: (contributorId) => records.limitsLeft(contributorId, clock.now()),
    announcement: () => governor.settings.contribute_announcement,
    guesses,
    clock,
    random,
    times,
    transport: scaleTransport(config.clockScale),
    log,
    onChange: () => stream.change(),
  });
  const applied = new Applied({ governor, queue, gateway, clock });
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
  const visibility = new Visibility(ledger, (command) => book.submit(command));
  const staleMs = () => (governor.settings.contribute_claim_stale_hours * 3_600_000) / config.clockScale;
  const monitor = new Monitor({
    codeHost,
    queue,
    claims,
    visibility,
    repos,
    webUrl,
    clock,
    random,
    times,
    staleMs,
    evalIntervalMs,
    log,
  });
  const registry = new FleetRegistry({ dataDir: config.dataDir, clock, times, log });
  await registry.load();
  const active = () => {
    const ids = new Set<string>();
    for (const { speaker } of gateway.sessions()) if (speaker !== undefined) ids.add(speaker.contributorId);
    return ids;
  };
  const readModel = new ReadModel({
    ledger,
    queue,
    gateway,
    monitor,
    sqlite: database.sqlite,
    clock,
    webUrl,
    settings: () => governor.settings,
    roles: ({ speaker, declared }) => ({
      inForce: roleOf(speaker?.contributorId ?? "", declared.role),
      assigned: rolesOf(ledger, speaker?.contributorId ?? "").assigned,
    }),
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

  const master = await masterKey(config.dataDir);
  const { plainUserCookie, oauth, adminToken, admins, hubSecret } = config;
  const users = new UserStore(config.dataDir, clock);
  const sessions = new Sessions({ signer: new Signer(master, "session"), users, clock, random, plainUserCookie });
  const signIn = new SignIn({ codeHost, oauth, webUrl, signer: new Signer(master, "sign-in"), clock, random });
  const identity = new Identity({ adminToken, admins, hubSecret, plainUserCookie, sessions, ledger, guesses });

  const http = buildHttp(log);
  const routes = new Routes(http, { admit: (route, request) => identity.admit(route, request) });
  const now = () => clock.now();
  const everybodySees: Sees = (repo) => visibility.isPublic(repo);
  const board = { ledger, doneByHour, webUrl, active };
  const webhooks = new Webhooks({ secret: config.webhookSecret, ledger, book, monitor, clock });
  registerOperationsRoutes(routes, { readModel, stream, metrics, doneByHour, now, everybodySees });
  registerQueueRoutes(routes, { queue, monitor, ledger, book, webhooks, now });
  registerGovernorRoutes(routes, { governor, book, queue, gateway, settled: () => applied.settled() });
  const records = new Records({
    ledger,
    sqlite: database.sqlite,
    times,
    policy,
    active,
    assignedSince: (from) => doneByHour.since(from),
    now,
  });
  registerContributorRoutes(routes, {
    registration: { codeHost, ledger, book, random, openRegistration: () => governor.settings.open_registration },
    records,
    leaderboard: board,
    policy,
    registrations: new Throttle(clock, MOST_REGISTRATIONS),
    now,
  });
  registerFleetRoutes(routes, { registry, readModel, ledger });
  registerAccessRoutes(routes, {
    sessions,
    signIn,
    identity,
    webUrl,
    signIns: new Throttle(clock, MOST_SIGN_INS),
    showLogin: (reply, to, hasDeviceFlow) => sendPage(reply, loginPage(to, hasDeviceFlow)),
  });
  registerPages(http, routes, {
    status: () => readModel.status(everybodySees),
    activity: (count) => readModel.activity(count, undefined, everybodySees).activity,
    settings: () => governor.settings,
    leaderboard: (window) => leaderboardOf(board, window, now()),
    codeHost,
    clock,
  });
  registerApp(http, routes, { random });
  gateway.attach(http.server);

  function carryOut(effect: Effect): void {
    if (effect.kind === "verify") verifier.verify(effect);
    else gateway.carryOut(effect);
  }

  function onCommitted(changes: Changes): void {
    metrics.count(changes);
    doneByHour.count(changes);
    stream.tell(changes.activity);
    if (governor.isChangedBy(changes.settings)) applied.changed();
    if (changes.settings.size > 0) stream.change();
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
