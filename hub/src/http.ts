import rateLimit from "@fastify/rate-limit";
import type { CodeHost } from "@nest/codehost";
import { type Log, NestError, type Random } from "@nest/kit";
import { contribute, contributors, Heartbeat, health, type Route } from "@nest/protocol";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from "fastify";
import { bearerOf, requireAdmin, sameSecret } from "./access/admin.ts";
import { openApiOf, Routes } from "./access/routes-of.ts";
import type { HubConfig } from "./config.ts";
import { type RegistrationParts, registerContributor, reissueToken } from "./contributors/registration.ts";
import type { FleetRegistry } from "./fleet/registry.ts";
import type { Command, Effect } from "./leases/commands.ts";
import type { DeskPolicy } from "./leases/desk.ts";
import type { LeaseBook } from "./leases/lease-book.ts";
import type { Ledger } from "./leases/ledger.ts";
import type { EventStream } from "./operations/event-stream.ts";
import type { Metrics } from "./operations/metrics.ts";
import type { ReadModel } from "./operations/read-model.ts";
import { registerPages } from "./pages/routes.ts";
import type { Monitor } from "./queue/monitor.ts";
import type { Queue } from "./queue/queue.ts";

export interface HttpParts {
  readonly config: HubConfig;
  readonly codeHost: CodeHost;
  readonly ledger: Ledger;
  readonly book: LeaseBook;
  readonly queue: Queue;
  readonly monitor: Monitor;
  readonly registry: FleetRegistry;
  readonly readModel: ReadModel;
  readonly stream: EventStream;
  readonly metrics: Metrics;
  readonly policy: DeskPolicy;
  readonly random: Random;
  readonly log: Log;
}

const BODY_LIMIT_BYTES = 64 * 1024;
const HEARTBEAT_LIMIT_BYTES = 1024 * 1024;

/** Registrations a minute from one address, where a login has to be proven. */
const REGISTRATIONS_A_MINUTE = 30;

/** The hub's HTTP side: routes onto features. Not listening yet, so tests can inject requests. */
export function buildHttp(parts: HttpParts): FastifyInstance {
  const http = Fastify({
    loggerInstance: parts.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: true,
    exposeHeadRoutes: true,
  });
  const routes = new Routes(http, { identify: (route, request) => identify(route, request, parts.config) });
  http.addHook("onSend", async (_request, reply) => {
    reply.header("x-content-type-options", "nosniff");
    reply.header("referrer-policy", "same-origin");
  });
  serveHealth(routes);
  serveContribution(http, routes, parts);
  serveContributors(routes, parts);
  serveFleet(http, parts);
  registerPages(http);
  http.get("/metrics", async (_request, reply) =>
    reply.type(parts.metrics.registry.contentType).send(await parts.metrics.registry.metrics()),
  );
  http.get("/api/openapi.json", () => openApiOf(routes.all(), "Nest hub", "1"));
  return http;
}

function identify(route: Route, request: FastifyRequest, config: HubConfig): string {
  return route.access === "admin" ? requireAdmin(request, config.adminToken) : "anyone";
}

function serveHealth(routes: Routes): void {
  routes.serve(health.health, () => ({ status: "ok" as const }));
  routes.serve(health.livez, () => ({ status: "ok" as const }));
}

function serveContribution(http: FastifyInstance, routes: Routes, parts: HttpParts): void {
  const { config, readModel, stream, monitor, queue, policy, ledger, book, codeHost, random } = parts;
  const registration: RegistrationParts = {
    codeHost,
    ledger,
    book,
    random,
    openRegistration: config.contribute.open_registration,
  };
  if (!registration.openRegistration) {
    void http.register(rateLimit, {
      max: REGISTRATIONS_A_MINUTE,
      timeWindow: 60_000,
      allowList: (request) => !/^\/api\/contribute\/(register|reissue-token)/.test(request.url),
    });
  }
  routes.serve(contribute.register, ({ body, request }) =>
    registerContributor(body.github_username, bearerOf(request), registration),
  );
  routes.serve(contribute.reissueToken, ({ request }) => reissueToken(bearerOf(request), registration));
  routes.serve(contribute.status, ({ reply }) => {
    reply.header("x-nest-contribute-protocol", readModel.status().api_version);
    return readModel.status();
  });
  routes.serve(contribute.queue, ({ query }) => readModel.queue(query));
  routes.serve(contribute.fleet, () => readModel.fleet());
  routes.serve(contribute.activity, ({ query }) => readModel.activity(query.limit, query.cursor));
  routes.serve(contribute.limits, () => ({
    tiers: Object.entries(policy.limits).map(([tier, limits]) => ({
      tier,
      enabled: !policy.disabledTiers.has(tier as never),
      ...limits,
    })),
  }));
  routes.serve(contribute.refreshQueue, async () => ({
    ...(await monitor.refresh()),
    failed: [...(await failedOf(monitor))],
    actionable_items: queue.actionable,
  }));
  routes.serve(contribute.events, ({ reply }) => {
    reply.hijack();
    if (!stream.watch(reply.raw)) {
      reply.raw.writeHead(503, { "content-type": "application/json", "retry-after": "5" });
      reply.raw.end(JSON.stringify({ error: "too many event streams are open", code: "too_many_watchers" }));
    }
    return reply;
  });
}

async function failedOf(monitor: Monitor): Promise<readonly string[]> {
  return monitor
    .repositories()
    .filter(({ state }) => state === "failing")
    .map(({ repo, error }) => `${repo}: ${error ?? ""}`);
}

function serveContributors(routes: Routes, { readModel, book, ledger }: HttpParts): void {
  const known = (id: string): string => {
    const found = ledger.contributor(id) ?? ledger.contributorByLogin(id);
    if (found === undefined) throw new NestError("not_found", "no such contributor");
    return found.id;
  };
  const done = async (command: Command): Promise<readonly string[]> => {
    const effects = await book.ask(command);
    const refused = effects.find((effect): effect is Extract<Effect, { kind: "refused" }> => effect.kind === "refused");
    if (refused !== undefined)
      throw new NestError(refused.code === "not_found" ? "not_found" : "conflict", refused.because);
    return (
      effects.find((effect): effect is Extract<Effect, { kind: "done" }> => effect.kind === "done")?.released ?? []
    );
  };
  routes.serve(contributors.contributors, ({ query }) => readModel.contributors(query.limit, query.cursor));
  routes.serve(contributors.setTrust, async ({ params, body, actor }) => {
    await done({ kind: "trust", contributorId: known(params.id ?? ""), tier: body.tier, actor });
    return { ok: true as const, trust_tier: body.tier };
  });
  routes.serve(contributors.revoke, async ({ params, actor }) => {
    await done({ kind: "revoke", contributorId: known(params.id ?? ""), actor });
    return { ok: true as const };
  });
  routes.serve(contributors.requeue, async ({ params, body, actor }) => {
    const { reason, task_id: taskId, session } = body ?? {};
    const released = await done({
      kind: "requeue",
      contributorId: known(params.id ?? ""),
      taskId,
      session,
      reason,
      actor,
    });
    return { ok: true as const, released: [...released] };
  });
  routes.serve(contributors.audit, ({ query }) => readModel.audit(query.limit, query.cursor));
}

function serveFleet(http: FastifyInstance, { config, registry }: HttpParts): void {
  http.post("/api/heartbeat", { bodyLimit: HEARTBEAT_LIMIT_BYTES }, async (request, reply) => {
    const bearer = bearerOf(request);
    if (bearer === undefined || !sameSecret(bearer, config.hubSecret.reveal()))
      return reply.code(401).type("text/plain").send("unauthorized");
    const heartbeat = Heartbeat.safeParse(request.body);
    if (!heartbeat.success) {
      const field = heartbeat.error.issues[0]?.path.map(String).join(".") ?? "";
      throw new NestError("bad_request", `${field === "" ? "body" : field}: not valid`);
    }
    if (!registry.beat(heartbeat.data)) throw new NestError("registry_full", "the fleet registry is full");
    return { ok: true };
  });
  http.get("/api/registry", () => ({ nests: registry.list() }));
}
