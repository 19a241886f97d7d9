import type { IncomingMessage } from "node:http";
import type { Log } from "@nest/kit";
import { health, type Route } from "@nest/protocol";
import { type FastifyInstance, fastify } from "fastify";
import type { Registry } from "prom-client";
import { misdirected } from "./access/known-host.ts";
import type { VisitorRules } from "./access/visitor.ts";
import type { Backup } from "./backup/backup.ts";
import { backupRoutes, serveBackup } from "./backup/routes.ts";
import { serveBackupPage } from "./dashboard/backup-page.ts";
import type { Liveness } from "./health/liveness.ts";
import { readJsonBodies } from "./http/json-body.ts";
import { answerBadAddress, answerUnreadable, registerJsonErrors } from "./http/json-errors.ts";
import { openApi } from "./http/openapi.ts";
import { STYLESHEET, sendPage } from "./http/pages.ts";
import { terminalPage } from "./terminal/terminal-page.ts";

/** Request bodies, unless said otherwise (contract §3). */
const BODY_LIMIT = 64 * 1024;

/** What every port needs. */
export interface PortParts {
  readonly log: Log;
  /** Whether a request names this nest. */
  readonly isKnownHost: (request: IncomingMessage) => boolean;
}

/** What the dashboard port needs to know, each asked at the moment of the request. */
export interface DashboardParts extends PortParts {
  readonly version: string;
  readonly metrics: Registry;
  readonly liveness: () => Liveness;
  readonly backup: Backup;
  readonly rules: VisitorRules;
  readonly home: (visit: { peer: string; role: string | undefined }) => string;
}

/** The dashboard port: page, health, metrics and the description of the API. */
export function buildDashboard(parts: DashboardParts): FastifyInstance {
  const app = emptyApp(parts);
  const routes: readonly Route[] = [health.health, health.livez, ...backupRoutes];
  serveBackup(app, parts);
  serveBackupPage(app, parts.rules);
  app.get("/", (request, reply) => {
    const role = request.headers["x-nest-role"];
    return sendPage(reply, parts.home({ peer: request.ip, role: typeof role === "string" ? role : undefined }));
  });
  app.get(health.health.path, () => ({ status: "ok" }));
  app.get(health.livez.path, (_request, reply) => {
    const verdict = parts.liveness();
    return reply.code(verdict.status === "ok" ? 200 : 503).send(verdict);
  });
  app.get("/metrics", async (_request, reply) =>
    reply.type(parts.metrics.contentType).send(await parts.metrics.metrics()),
  );
  app.get("/api/openapi.json", () => openApi(routes, parts.version));
  return app;
}

/** The terminal port: for now a page that says there is no terminal. */
export function buildTerminal(parts: PortParts): FastifyInstance {
  const app = emptyApp(parts);
  app.get("/", (_request, reply) => sendPage(reply, terminalPage()));
  return app;
}

function emptyApp({ log, isKnownHost }: PortParts): FastifyInstance {
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    // A request that takes longer to arrive is none.
    requestTimeout: 30_000,
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (_error, request, reply) => {
      reply.hijack();
      answerBadAddress(request.raw, reply.raw);
    },
  });
  registerJsonErrors(app, log);
  readJsonBodies(app);
  app.addHook("onRequest", async (request) => {
    if (!isKnownHost(request.raw)) throw misdirected();
  });
  app.get("/assets/spoke.css", (_request, reply) => reply.type("text/css; charset=utf-8").send(STYLESHEET));
  return app;
}
