import { NestError } from "@nest/kit";
import type { Route } from "@nest/protocol";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { sendProblem } from "./problem.ts";
import { actorOf, type Viewer } from "./viewer.ts";

export interface Call<Body, Query> {
  readonly body: Body;
  readonly query: Query;
  readonly params: Readonly<Record<string, string>>;
  /** Who asks. */
  readonly viewer: Viewer;
  /** Their name for the audit. */
  readonly actor: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export interface RouteDeps {
  /** @throws NestError when the route is not open to whoever asks. */
  readonly admit: (route: Route, request: FastifyRequest) => Promise<Viewer>;
}

/** Bodies of up to some megabytes that are read at the same time. */
const MOST_BODIES = 16;

/** Registers routes from their descriptions, and remembers them for the OpenAPI page and for 405 answers. */
export class RouteRegistry {
  readonly #app: FastifyInstance;
  readonly #deps: RouteDeps;
  readonly #routes: Route[] = [];
  #bodies = 0;
  readonly #viewers = new WeakMap<FastifyRequest, Viewer>();

  constructor(app: FastifyInstance, deps: RouteDeps) {
    this.#app = app;
    this.#deps = deps;
    app.setNotFoundHandler((request, reply) => this.#notFound(request, reply));
    app.setErrorHandler((thrown, _request, reply) => sendProblem(reply, foreseen(thrown)));
  }

  /** Serves a route: input checked by its schemas before `act` sees it. */
  serve<Body extends z.ZodType, Query extends z.ZodType, Reply extends z.ZodType>(
    route: Route<Body, Query, Reply>,
    act: (
      call: Call<z.infer<Body>, z.infer<Query>>,
    ) => Promise<z.infer<Reply> | FastifyReply> | z.infer<Reply> | FastifyReply,
  ): void {
    this.#routes.push(route);
    this.#app.route({
      method: route.method,
      url: route.path,
      ...(route.bodyLimit === undefined ? {} : { bodyLimit: route.bodyLimit }),
      // Before the body is read: whoever may not ask cannot make the hub read either.
      onRequest: async (request) => {
        this.#viewers.set(request, await this.#deps.admit(route, request));
      },
      handler: async (request, reply) => {
        const viewer = this.#viewers.get(request) ?? { kind: "anonymous" };
        const body = check(
          route.body,
          request.body === undefined && route.method !== "GET" ? {} : request.body,
          "body",
        ) as z.infer<Body>;
        const query = check(route.query, request.query, "query") as z.infer<Query>;
        const params = (request.params ?? {}) as Record<string, string>;
        return await act({ body, query, params, viewer, actor: actorOf(viewer), request, reply });
      },
    });
  }

  /**
   * Serves a route whose body is wanted as the very bytes that came, because they are signed. `check` throws for a request
   * whose head tells already that it cannot be right: its body is not read then. Few bodies are read at a time.
   */
  serveBytes(
    route: Route,
    check: (request: FastifyRequest) => void,
    act: (body: Buffer, request: FastifyRequest, reply: FastifyReply) => Promise<object> | object,
  ): void {
    this.#routes.push(route);
    void this.#app.register((scope, _options, registered) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
      scope.route({
        method: route.method,
        url: route.path,
        ...(route.bodyLimit === undefined ? {} : { bodyLimit: route.bodyLimit }),
        onRequest: async (request) => {
          check(request);
          if (this.#bodies >= MOST_BODIES)
            throw new NestError("too_many_requests", "too many large bodies at a time", { hint: "try again in 5 s" });
          this.#bodies += 1;
          request.raw.once("close", () => (this.#bodies -= 1));
        },
        handler: async (request, reply) =>
          act(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0), request, reply),
      });
      registered();
    });
  }

  all(): readonly Route[] {
    return this.#routes;
  }

  #notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const [path = ""] = request.url.split("?");
    const methods = this.#routes.filter((route) => matches(route.path, path)).map(({ method }) => method);
    if (methods.length === 0) return sendProblem(reply, new NestError("not_found", "no such address on this hub"));
    const allow = [...new Set(methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])))].join(", ");
    reply.header("allow", allow);
    return sendProblem(
      reply,
      new NestError("method_not_allowed", `${request.method} is not allowed here`, { hint: `use ${allow}` }),
    );
  }
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split("/");
  const given = path.split("/");
  return wanted.length === given.length && wanted.every((part, at) => part.startsWith(":") || part === given[at]);
}

function check(schema: z.ZodType | undefined, value: unknown, where: "body" | "query"): unknown {
  if (schema === undefined) return undefined;
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  const at = issue?.path.map(String).join(".") ?? "";
  if (issue?.code === "unrecognized_keys")
    throw new NestError(
      "bad_request",
      `${issue.keys.map((key) => (at === "" ? key : `${at}.${key}`)).join(", ")}: unknown key in the ${where}`,
    );
  const fault = issue?.message ?? "not valid";
  throw new NestError("bad_request", `${at === "" ? where : at}: ${fault.charAt(0).toLowerCase()}${fault.slice(1)}`);
}

/** Fastify's own refusals in our words. */
function foreseen(thrown: unknown): unknown {
  const code = (thrown as { code?: string }).code;
  const status = (thrown as { statusCode?: number }).statusCode;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new NestError("body_too_large", "the request body is too large", { cause: thrown });
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return new NestError("unsupported_media_type", "the request body must be JSON", {
      hint: "send Content-Type: application/json",
    });
  }
  if (status === 429)
    return new NestError("too_many_requests", "too many requests", { hint: "wait a little and try again" });
  if (thrown instanceof NestError || status === undefined || status >= 500) return thrown;
  return new NestError("bad_request", "body: not valid JSON", { cause: thrown });
}

/** The OpenAPI description of routes, generated from the schemas that validate them. */
export function openApiOf(routes: readonly Route[], title: string, version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:([a-zA-Z_]+)/g, "{$1}");
    const parameters = [...route.path.matchAll(/:([a-zA-Z_]+)/g)].map(([, name]) => ({
      name,
      in: "path",
      required: true,
      schema: { type: "string" },
    }));
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = {
      summary: route.summary,
      "x-access": route.access,
      ...(route.access === "anyone" ? {} : { security: securityOf(route) }),
      parameters: [...parameters, ...queryParameters(route.query)],
      ...(route.body === undefined
        ? {}
        : { requestBody: { content: { "application/json": { schema: jsonSchema(route.body, "input") } } } }),
      responses: {
        200: {
          description: "done",
          content: { [route.produces ?? "application/json"]: { schema: jsonSchema(route.reply, "output") } },
        },
        default: { description: "an error body: error, code, hint" },
      },
    };
  }
  return {
    openapi: "3.1.0",
    info: { title, version },
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        session: { type: "apiKey", in: "cookie", name: "nest_hub_session" },
        signature: { type: "apiKey", in: "header", name: "X-Hub-Signature-256" },
      },
    },
  };
}

function securityOf(route: Route): Record<string, never[]>[] {
  if (route.access === "code-host") return [{ signature: [] }];
  return route.access === "spoke" ? [{ bearer: [] }] : [{ bearer: [] }, { session: [] }];
}

function queryParameters(query: z.ZodType | undefined): unknown[] {
  if (!(query instanceof z.ZodObject)) return [];
  return Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: "query",
    required: false,
    schema: jsonSchema(schema as z.ZodType, "input"),
  }));
}

function jsonSchema(schema: z.ZodType, io: "input" | "output"): unknown {
  const { $schema: _ours, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}
