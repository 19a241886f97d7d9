import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { buildServer, html, openApiOf, RouteRegistry, sendPage, serveAssets, serveWebApp } from "@nest/http";
import type { Clock, Log, Random } from "@nest/kit";
import { health, operations, pages } from "@nest/protocol";
import type { FastifyInstance } from "fastify";
import type { Registry } from "prom-client";
import { admit, doors, dropProxyHeaders, mayUse } from "./access/admit.ts";
import type { Doorkeeper, Visitor } from "./access/visitor.ts";
import { type AgentRoutesDeps, serveAgents } from "./agents/routes.ts";
import type { Backup } from "./backup/backup.ts";
import { serveBackup } from "./backup/routes.ts";
import { serveEvents } from "./events/routes.ts";
import type { Liveness } from "./health/liveness.ts";
import { serveLedger } from "./ledger/routes.ts";
import { backupPage, ownBackupPage } from "./pages/backup-page.ts";
import { errorPage, notBuiltPage } from "./pages/page.ts";
import { terminalPage } from "./pages/terminal-page.ts";

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
}

/** What the dashboard port needs to know, each asked at the moment of the request. */
export interface DashboardDeps extends PortDeps {
  readonly version: string;
  readonly metrics: Registry;
  readonly liveness: () => Liveness;
  readonly backup: Backup;
  readonly home: (visitor: Visitor) => string;
  readonly random: Random;
  readonly clock: Clock;
  readonly agentRoutes: AgentRoutesDeps;
}

/** The dashboard port: pages, health, metrics, the owner's backup and the description of the API. */
export async function buildDashboard(deps: DashboardDeps): Promise<FastifyInstance> {
  const { version, metrics, backup, random } = deps;
  const { http, routes } = await buildPort(deps);
  serveBackup(http, routes, backup);
  serveAgents(routes, deps.agentRoutes);
  serveLedger(routes, { ...deps.agentRoutes, ledgers: deps.agentRoutes.agents.ledgers });
  const events = serveEvents(routes, {
    agents: deps.agentRoutes.agents,
    clock: deps.clock,
    mayWatch: (request) => mayUse("member", deps.keeper.judge(request)),
  });
  http.addHook("preClose", async () => events.close());
  routes.serve(ownBackupPage, ({ reply }) => sendPage(reply, backupPage(), { isPassing: true }));
  routes.serve({ ...pages.live, summary: "What this nest is, and whether its hub hears it" }, ({ viewer, reply }) =>
    sendPage(reply, deps.home(viewer), { isPassing: true }),
  );
  serveWebApp(http, routes, {
    entry: "spoke",
    pages: pages.nestApp,
    notBuilt: notBuiltPage,
    withoutScripts: html`<p>This page needs scripts. <a href="/">What this nest is</a> does not.</p>`,
    random,
  });
  routes.serve(health.health, () => ({ status: "ok" as const }));
  routes.serve(health.livez, ({ reply }) => {
    const verdict = deps.liveness();
    return reply.code(verdict.status === "ok" ? 200 : 503).send(verdict);
  });
  routes.serve(operations.metrics, async ({ reply }) => reply.type(metrics.contentType).send(await metrics.metrics()));
  routes.serve(operations.openapi, () => openApiOf(routes.all(), { title: "Nest spoke", version, doors }));
  return http;
}

/** The terminal port: for now a page that says there is no terminal. */
export async function buildTerminal(deps: PortDeps): Promise<FastifyInstance> {
  const { http, routes } = await buildPort(deps);
  routes.serve({ ...pages.live, summary: "The terminal" }, ({ reply }) =>
    sendPage(reply, terminalPage(), { isPassing: true }),
  );
  return http;
}

async function buildPort({
  log,
  isKnownHost,
  keeper,
}: PortDeps): Promise<{ readonly http: FastifyInstance; readonly routes: RouteRegistry<Visitor> }> {
  const http = await buildServer({ log, isKnownHost, names: hostNames });
  dropProxyHeaders(http);
  serveAssets(http, join(import.meta.dirname, "pages", "assets"));
  const routes = new RouteRegistry<Visitor>(http, {
    what: "nest",
    admit: (route, request) => admit(route, request, keeper),
    actorOf: (visitor) => (visitor.kind === "known" ? visitor.login : "anyone"),
    errorPage,
  });
  return { http, routes };
}
