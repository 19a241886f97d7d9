import type { CodeHost } from "@nest/codehost";
import { openApiOf, RouteRegistry, SharedAnswers, sendPage } from "@nest/http";
import type { Clock, Log, Random } from "@nest/kit";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { registerApiTokenRoutes } from "./access/api-token-routes.ts";
import { type Budgets, budgetsOf } from "./access/budgets.ts";
import type { HubAccess } from "./access/build-access.ts";
import { doors } from "./access/doors.ts";
import { LedgerOnce } from "./access/ledger-once.ts";
import { registerAccessRoutes } from "./access/routes.ts";
import { isLogin } from "./access/users.ts";
import { actorOf, type HubRoutes, type Viewer } from "./access/viewer.ts";
import { registerAlertRoutes } from "./alerts/routes.ts";
import type { Alerts } from "./build-alerts.ts";
import type { Dispatch } from "./build-dispatch.ts";
import type { Nests } from "./build-nests.ts";
import type { Operations } from "./build-operations.ts";
import type { Relays } from "./build-relays.ts";
import type { Statistics } from "./build-statistics.ts";
import type { HubConfig } from "./config.ts";
import type { ContributorLimits } from "./contributors/contributor-limits.ts";
import { leaderboardOf } from "./contributors/leaderboard.ts";
import { recordOf, registerOwnRoutes } from "./contributors/own-routes.ts";
import { registerPauseRoutes } from "./contributors/pause-routes.ts";
import { registerContributorRoutes } from "./contributors/routes.ts";
import { registerFleetRoutes } from "./fleet/routes.ts";
import { registerNestAccessRoutes } from "./nests/access-routes.ts";
import { registerClusterRoutes } from "./nests/cluster-routes.ts";
import { registerDoorRoutes } from "./nests/door-routes.ts";
import { registerNestRoutes } from "./nests/nest-routes.ts";
import { registerReadingRoutes } from "./nests/reading-routes.ts";
import { registerUpgradeRoutes } from "./nests/upgrade-routes.ts";
import { registerUserRoutes } from "./nests/user-routes.ts";
import { AuditLog } from "./operations/audit-log.ts";
import { registerAuditRoutes } from "./operations/audit-routes.ts";
import { registerOperationsRoutes } from "./operations/routes.ts";
import { registerTaskListRoutes } from "./operations/task-list-routes.ts";
import { TaskLog } from "./operations/task-log.ts";
import type { Visibility } from "./operations/visibility.ts";
import { registerApp } from "./pages/app-page.ts";
import { errorPage } from "./pages/error-page.ts";
import { loginPage } from "./pages/login-page.ts";
import { RELAY_PACKAGE } from "./pages/relay-package.ts";
import { registerPages } from "./pages/routes.ts";
import type { OrderChanges } from "./queue/order-routes.ts";
import { registerQueueRoutes } from "./queue/routes.ts";
import { Webhooks } from "./queue/webhooks.ts";
import { registerQueueSettingsRoutes } from "./queue-settings/routes.ts";
import { registerStatisticsRoutes } from "./statistics/routes.ts";
import { registerStreamRoutes } from "./stream/routes.ts";

/** How long a request waits for a cluster. */
const CLUSTER_PATIENCE_MS = 20_000;

export interface RouteDeps {
  readonly http: FastifyInstance;
  readonly config: HubConfig;
  readonly codeHost: CodeHost;
  readonly dispatch: Dispatch;
  readonly relays: Relays;
  readonly operations: Operations;
  readonly statistics: Statistics;
  readonly alerts: Alerts;
  readonly access: HubAccess;
  readonly nests: Nests;
  readonly limits: ContributorLimits;
  /** The number of live replicas, including this one. */
  readonly replicaCount: () => number;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Registers every route and page of the hub on its HTTP server. */
export async function registerRoutes(deps: RouteDeps): Promise<void> {
  const { http, config, codeHost, dispatch, operations, clock, random } = deps;
  const { ledger, visibility, queueSettings } = dispatch;
  const { readModel, stream, board } = operations;
  const { sessions, signIn, identity } = deps.access;
  const sharedAnswers = new SharedAnswers(() => clock.now());
  stream.beforeTelling(() => sharedAnswers.forget());
  const routes: HubRoutes = new RouteRegistry(http, {
    what: "hub",
    admit: (route, request) => identity.admit(route, request),
    actorOf,
    errorPage,
    sharedAnswers,
  });
  const budgets = budgetsOf(clock, deps.replicaCount);
  const now = () => clock.now();
  const ownAddress = ({ protocol, host }: FastifyRequest) => config.publicUrl ?? `${protocol}://${host}`;
  const publicVisibility: Visibility = (repo) => visibility.isPublic(repo);
  const viewerOf = (request: FastifyRequest) => identity.viewerOf(request);

  // Made once, after all routes are registered, because it costs more than any other answer.
  let openApi: Record<string, unknown> | undefined;
  const describeApi = () => (openApi ??= openApiOf(routes.all(), { title: "Nest hub", version: "1", doors }));
  const contributorOf = (viewer: Viewer) => recordOf(viewer, ledger)?.id;
  registerOperationsRoutes(routes, { ...operations, now, publicVisibility, contributorOf, describeApi });
  registerStreamRoutes(routes, { stream, publicVisibility, viewerOf });
  registerTaskListRoutes(routes, { taskLog: new TaskLog({ reader: dispatch.storage.reader, ledger }), now });
  registerAuditRoutes(routes, { auditLog: new AuditLog(dispatch.storage.reader), now });
  registerStatisticsRoutes(routes, deps.statistics);
  registerAlertRoutes(routes, deps.alerts);
  registerDispatchRoutes(routes, deps, budgets);
  registerFleetRoutes(routes, {
    registry: operations.registry,
    readModel,
    ledger,
    take: (heartbeat) => deps.nests.heard.take(heartbeat),
  });
  registerAccessRoutes(routes, {
    sessions,
    signIn,
    identity,
    webUrl: config.webUrl,
    ownAddress,
    onSignOut: () => void stream.review(),
    signIns: budgets.signIns,
    signInPolls: budgets.signInPolls,
    showLogin: (reply, to, hasDeviceFlow) => sendPage(reply, loginPage(to, hasDeviceFlow)),
  });
  registerApiTokenRoutes(routes, { tokens: deps.access.apiTokens, identity });
  registerHostedNests(routes, deps);
  registerPages(http, routes, {
    codeHostAddress: { web: config.webUrl, api: config.apiUrl },
    status: () => readModel.status(publicVisibility),
    activity: async (count) => (await readModel.activity(count, undefined, publicVisibility)).activity,
    settings: () => queueSettings.settings,
    leaderboard: (window) => leaderboardOf(board, window, now()),
    ownAddress,
    describeApi,
    codeHost,
    clock,
    relayPackage: RELAY_PACKAGE,
    styleFetches: budgets.styleFetches,
  });
  registerApp(http, routes, { random });
}

/** The routes that change the queue, its settings and contributors. */
function registerDispatchRoutes(routes: HubRoutes, deps: RouteDeps, budgets: Budgets): void {
  const { config, codeHost, dispatch, relays, operations, limits, clock, random } = deps;
  const { ledger, batcher, queue, monitor, queueSettings, patternJudge, configApplier } = dispatch;
  const now = () => clock.now();
  const policy = () => queueSettings.rules.decider;
  const webhooks = new Webhooks({
    secret: config.webhookSecret,
    monitor,
    once: new LedgerOnce({ ledger, batcher, clock, prefix: "delivery:", actor: "code-host" }),
  });
  const auditLog = new AuditLog(dispatch.storage.reader);
  const orderChanges: OrderChanges = async (since) => {
    const changes = { action: "queue order", since: new Date(since).toISOString(), limit: 100 };
    return (await auditLog.page(changes)).audit;
  };
  registerQueueRoutes(routes, { queue, monitor, ledger, batcher, webhooks, orderChanges, now });
  registerQueueSettingsRoutes(routes, {
    queueSettings,
    batcher,
    queue,
    judge: patternJudge,
    models: () => [...relays.gateway.sessions()].map(({ declared, login }) => ({ model: declared.model ?? "", login })),
    settled: () => configApplier.settled(),
    now,
  });
  registerOwnRoutes(routes, {
    ledger,
    batcher,
    readModel: operations.contributorReadModel,
    limits,
    relaysOf: (id) => operations.readModel.relaysOf(id),
    now,
  });
  registerPauseRoutes(routes, {
    ledger,
    batcher,
    queue,
    repositories: () => monitor.repositories(),
    relays: () => operations.readModel.connectedRelays(),
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
    readModel: operations.contributorReadModel,
    limits,
    leaderboard: operations.board,
    policy,
    registrations: budgets.registrations,
    now,
  });
}

/** The routes of hosted nests, their people, clusters and users. */
function registerHostedNests(routes: HubRoutes, { nests, access, operations }: RouteDeps): void {
  const { records, provisioner, people, audit, clustersFile } = nests;
  const { users, identity } = access;
  const readNest = (id: string) => records.get(id);
  const viewerOf = (request: FastifyRequest) => identity.viewerOf(request);
  registerReadingRoutes(routes, { ...nests, users, registry: operations.registry, viewerOf });
  registerNestRoutes(routes, {
    records,
    provisioner,
    users,
    audit,
    defaultCluster: async () => (await clustersFile.list())[0]?.record.id,
    async forget(nestId) {
      await people.forgetNest(nestId);
      operations.registry.forget(nestId);
    },
    setVisible: (nestId, isPublic) => operations.registry.setPublic(nestId, isPublic),
    patienceMs: CLUSTER_PATIENCE_MS,
  });
  registerNestAccessRoutes(routes, { readNest, users, people, audit, isLogin });
  registerUserRoutes(routes, {
    users,
    listNests: () => records.list(),
    isAdmin: (user) => identity.isAdminLogin(user.github_username),
    audit,
    onBlocked: () => void operations.stream.review(),
  });
  registerClusterRoutes(routes, { file: clustersFile, clusters: nests.clusters, records, clock: nests.clock, audit });
  registerUpgradeRoutes(routes, { autoUpgrade: nests.autoUpgrade, audit });
  registerDoorRoutes(routes, { authCheck: nests.authCheck, passes: nests.passes, readNest, users });
}
