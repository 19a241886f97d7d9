import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { pathHere } from "@nest/auth";
import {
  buildServer,
  html,
  openApiOf,
  RouteRegistry,
  sendPage,
  serveAppFiles,
  serveAssets,
  serveWebApp,
} from "@nest/http";
import type { Clock, Log, Random } from "@nest/kit";
import { health, nestTerminal, operations, pages, type Route } from "@nest/protocol";
import type { FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import { admit, doors, dropProxyHeaders, mayUse } from "./access/admit.ts";
import { type SignInRouteDeps, serveGrants, serveSignIn } from "./access/routes.ts";
import { sendStrangersOn } from "./access/strangers.ts";
import type { Doorkeeper, Visitor } from "./access/visitor.ts";
import { type AgentRoutesDeps, serveAgents } from "./agents/routes.ts";
import type { Backup } from "./backup/backup.ts";
import { serveBackup } from "./backup/routes.ts";
import { answerForStorage } from "./backup/storage-trouble.ts";
import { type ConfigRoutesDeps, serveConfig } from "./config/routes.ts";
import { serveEvents } from "./events/routes.ts";
import type { Liveness } from "./health/liveness.ts";
import { type HealthRoutesDeps, serveHealth } from "./health/routes.ts";
import { serveLedger } from "./ledger/routes.ts";
import { type NotificationRoutesDeps, serveNotifications } from "./notifications/routes.ts";
import { backupPage, ownBackupPage } from "./pages/backup-page.ts";
import { type Around, appShell, errorPage, notBuiltPage, terminalBar } from "./pages/page.ts";
import { pageSources } from "./pages/page-sources.ts";
import { comeInPage, howToComeIn, ownSignInPage, signInPage } from "./pages/sign-in-page.ts";
import { terminalClosed, terminalList } from "./pages/terminal-page.ts";
import type { TerminalGateway } from "./terminal/gateway.ts";
import { serveTerminalPages } from "./terminal/routes.ts";

const hostNames = {
  what: "nest",
  hint: "set dashboard.public_url to the address that people use, or name more in dashboard.hosts",
} as const;

/** What every port needs. */
export interface PortDeps {
  readonly log: Log;
  /** Whether a request names this nest. */
  readonly isKnownHost: (request: IncomingMessage) => boolean;
  readonly keeper: Doorkeeper;
  readonly signIn: SignInRouteDeps;
  readonly terminals: TerminalGateway;
  readonly agentNames: () => readonly string[];
  readonly random: Random;
}

/** What the dashboard port needs to know, each asked at the moment of the request. */
export interface DashboardDeps extends PortDeps {
  readonly version: string;
  /** Made when they are asked for first: a nest that nobody scrapes does without. */
  readonly metrics: () => Promise<Registry>;
  readonly liveness: () => Liveness;
  readonly backup: Backup;
  readonly home: (visitor: Visitor) => string | Promise<string>;
  readonly clock: Clock;
  readonly agentRoutes: AgentRoutesDeps;
  readonly configRoutes: ConfigRoutesDeps;
  readonly healthRoutes: HealthRoutesDeps;
  readonly notificationRoutes: NotificationRoutesDeps;
}

/** The dashboard port: pages, health, metrics, the owner's backup and the description of the API. */
export async function buildDashboard(deps: DashboardDeps): Promise<FastifyInstance> {
  const { version, metrics, backup, random } = deps;
  const { http, routes } = await buildPort(deps, {
    closed: [...pages.nestApp, ownBackupPage],
    around: (visitor) => ({ visitor, here: nestTerminal.terminalPage.path }),
  });
  serveGrants(routes, deps.signIn);
  serveBackup(http, routes, backup);
  serveAgents(routes, deps.agentRoutes);
  serveLedger(routes, { ...deps.agentRoutes, ledgers: deps.agentRoutes.agents.ledgers });
  serveConfig(routes, deps.configRoutes);
  serveHealth(routes, deps.healthRoutes);
  serveNotifications(routes, deps.notificationRoutes);
  const events = serveEvents(routes, {
    agents: deps.agentRoutes.agents,
    clock: deps.clock,
    mayWatch: (request) => mayUse("member", deps.keeper.judge(request)),
  });
  http.addHook("preClose", async () => events.close());
  routes.serve(ownBackupPage, ({ viewer, reply }) => sendPage(reply, backupPage(viewer), { isPassing: true }));
  routes.serve(
    { ...pages.live, summary: "What this nest is, and whether its hub hears it" },
    async ({ viewer, reply }) => sendPage(reply, await deps.home(viewer), { isPassing: true }),
  );
  serveWebApp(http, routes, {
    entry: "spoke",
    pages: pages.nestApp,
    pageSources,
    notBuilt: notBuiltPage,
    withoutScripts: html`<p>This page needs scripts. <a href="/">What this nest is</a> does not.</p>`,
    random,
    shell: (visitor, path) => appShell({ visitor, here: path }),
  });
  routes.serve(health.health, () => ({ status: "ok" as const }));
  routes.serve(health.livez, ({ reply }) => {
    const verdict = deps.liveness();
    return reply.code(verdict.status === "ok" ? 200 : 503).send(verdict);
  });
  routes.serve(operations.metrics, async ({ reply }) => {
    const registry = await metrics();
    // Loaded when it is needed first: a nest that nobody scrapes does without.
    const { metricsText } = await import("./health/metrics.ts");
    return reply.type(registry.contentType).send(await metricsText(registry));
  });
  routes.serve(operations.openapi, () => openApiOf(routes.all(), { title: "Nest spoke", version, doors }));
  return http;
}

/** The terminal port: the agents' terminals, and the sign-in to them. The dashboard port has them too, below `/terminal/`. */
export async function buildTerminal(deps: PortDeps): Promise<FastifyInstance> {
  const { http, routes } = await buildPort(deps, { closed: [], around: () => undefined });
  serveAppFiles(http);
  routes.serve({ ...pages.live, summary: "The agents whose terminals there are" }, ({ viewer, reply }) => {
    const how = () => howToComeIn(deps.signIn.way());
    const page = mayUse("operator", viewer) ? terminalList(deps.agentNames()) : terminalClosed(how());
    return sendPage(reply, page, { isPassing: true });
  });
  return http;
}

interface PortPages {
  /** Pages for people with a role. */
  readonly closed: readonly Route[];
  /** The frame of the terminals' pages; undefined at a port that has no others. */
  readonly around: (visitor: Visitor) => Around | undefined;
}

/** What both ports have: one judgement of who asks, the sign-in, and the terminals. */
async function buildPort(
  deps: PortDeps,
  { closed, around }: PortPages,
): Promise<{ readonly http: FastifyInstance; readonly routes: RouteRegistry<Visitor> }> {
  const { log, isKnownHost, keeper, signIn, terminals, agentNames, random } = deps;
  const http = await buildServer({
    log,
    isKnownHost,
    names: hostNames,
    trustProxy: (peer) => keeper.isNamedProxy(peer),
  });
  dropProxyHeaders(http);
  answerForStorage(http);
  serveAssets(http, join(import.meta.dirname, "pages", "assets"));
  const routes = new RouteRegistry<Visitor>(http, {
    what: "nest",
    admit: (route, request) => admit(route, request, keeper),
    actorOf: (visitor) => (visitor.kind === "known" ? visitor.login : "anyone"),
    errorPage,
  });
  const explanation = () => comeInPage(howToComeIn(signIn.way()));
  sendStrangersOn(http, [...closed, nestTerminal.terminalPage], { keeper, way: signIn.way, explanation });
  serveSignIn(routes, signIn);
  routes.serve(ownSignInPage, ({ viewer, query, reply }) =>
    sendPage(reply, signInPage(viewer, signIn.way(), pathHere(query.to)), { isPassing: true }),
  );
  serveTerminalPages(routes, {
    agents: agentNames,
    list: (agents, visitor) => terminalList(agents, around(visitor)),
    bar: (visitor) => {
      const frame = around(visitor);
      return frame && terminalBar(frame);
    },
    notBuilt: notBuiltPage,
    random,
  });
  terminals.attach(http.server);
  return { http, routes };
}
