import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { identify } from "./access.ts";
import { type ApiAnswer, ApiRefusal, type Route } from "./api-call.ts";
import { checkRoutes } from "./api-checks.ts";
import { identityRoutes } from "./api-identity.ts";
import { issueRoutes } from "./api-issues.ts";
import { pullRoutes } from "./api-pulls.ts";
import type { Platform } from "./platform.ts";

/** Calls an hour, as the platform grants them to a person; nobody is held to it here. */
const RATE_LIMIT = 5000;

/** The API. Every answer says how many calls are left in this hour. */
export function apiRoutes(app: FastifyInstance, platform: Platform): void {
  const budget = new CallBudget(platform);
  app.get("/rate_limit", async () => ({ rate: budget.take(0) }));
  const routes = [
    ...issueRoutes(platform),
    ...pullRoutes(platform),
    ...checkRoutes(platform),
    ...identityRoutes(platform),
  ];
  for (const route of routes) {
    app.route({
      method: route.method,
      url: route.path,
      async handler(request, reply) {
        const answer = await call(platform, route, request);
        if (request.method !== "GET") await platform.store.save();
        return send(request, reply, answer, budget);
      },
    });
  }
}

function call(platform: Platform, route: Route, request: FastifyRequest): Promise<ApiAnswer> | ApiAnswer {
  const url = new URL(request.url, platform.url);
  return route.answer({
    url,
    params: request.params as Readonly<Record<string, string>>,
    query: url.searchParams,
    body: jsonOf(typeof request.body === "string" ? request.body : ""),
    accept: request.headers.accept ?? "",
    caller: identify(platform.store, request.headers.authorization),
  });
}

/** With an ETag, and 304 for whoever has this answer already: that one is not counted. */
function send(request: FastifyRequest, reply: FastifyReply, answer: ApiAnswer, budget: CallBudget): FastifyReply {
  const text = answer.text ?? (answer.body === undefined ? "" : JSON.stringify(answer.body));
  const etag = `W/"${createHash("sha256").update(text).digest("hex")}"`;
  const known = request.method === "GET" && answer.status === 200 && request.headers["if-none-match"] === etag;
  const rate = budget.take(known ? 0 : 1);
  reply.code(known ? 304 : answer.status).headers({
    ...(text === "" || known ? {} : { "content-type": "application/json; charset=utf-8" }),
    ...answer.headers,
    ...(answer.status === 200 ? { etag } : {}),
    "x-ratelimit-limit": rate.limit,
    "x-ratelimit-remaining": rate.remaining,
    "x-ratelimit-reset": rate.reset,
  });
  return text === "" || known ? reply.send() : reply.send(text);
}

/** Counts the calls of the current hour. */
class CallBudget {
  readonly #platform: Platform;
  #used = 0;
  #hour = 0;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  take(cost: number): { limit: number; remaining: number; reset: number } {
    const hour = Math.floor(this.#platform.now() / 3_600_000);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#used = 0;
    }
    this.#used += cost;
    return { limit: RATE_LIMIT, remaining: Math.max(1, RATE_LIMIT - this.#used), reset: (hour + 1) * 3600 };
  }
}

/** The body of a call as an object; a bare list stands for labels, as on the platform. @throws 400 */
export function jsonOf(text: string): Record<string, unknown> {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    if (Array.isArray(value)) return { labels: value };
  } catch {
    // Told below.
  }
  throw new ApiRefusal(400, "Problems parsing JSON");
}
