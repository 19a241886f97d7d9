import { NestError } from "@nest/kit";
import type { Route } from "@nest/protocol";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { isSafe } from "./origin.ts";
import { foreseen, type Problem, problemOf, sendProblem } from "./problem.ts";
import { sendPage } from "./send-page.ts";
import type { SharedAnswers } from "./shared-answers.ts";

export interface Call<Viewer, Body, Query> {
  readonly body: Body;
  readonly query: Query;
  readonly params: Readonly<Record<string, string>>;
  readonly viewer: Viewer;
  readonly actor: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export interface RouteDeps<Viewer> {
  readonly what: "hub" | "nest";
  /** @throws NestError when the route is not open to whoever asks. */
  readonly admit: (route: Route, request: FastifyRequest) => Promise<Viewer> | Viewer;
  /** The viewer's name in the audit. */
  readonly actorOf: (viewer: Viewer) => string;
  /** The page for a person who opened a page that cannot be shown. */
  readonly errorPage: (problem: Problem) => string;
  /** The answers that routes give to many; none where no route does. */
  readonly sharedAnswers?: SharedAnswers;
}

export interface Sharing<Viewer> {
  /** The name of those who are given the same answer as this viewer, when they ask for the same at about the same time. */
  readonly sharedAmong: (viewer: Viewer) => string;
}

/** Bodies of up to some megabytes that are read at the same time. */
const MOST_BODIES = 16;

/** Registers routes from their descriptions, and remembers them for the OpenAPI page and for 405 answers. */
export class RouteRegistry<Viewer> {
  readonly #app: FastifyInstance;
  readonly #deps: RouteDeps<Viewer>;
  readonly #routes: Route[] = [];
  #bodies = 0;
  readonly #viewers = new WeakMap<FastifyRequest, Viewer>();

  constructor(app: FastifyInstance, deps: RouteDeps<Viewer>) {
    this.#app = app;
    this.#deps = deps;
    app.setNotFoundHandler((request, reply) => this.#notFound(request, reply));
    app.setErrorHandler((thrown, request, reply) => this.#fail(request, reply, foreseen(thrown)));
  }

  /** Serves a route: input checked by its schemas before `act` sees it. Where its answer is shared, `act` leaves the reply alone. */
  serve<Body extends z.ZodType, Query extends z.ZodType, Reply extends z.ZodType>(
    route: Route<Body, Query, Reply>,
    act: (
      call: Call<Viewer, z.infer<Body>, z.infer<Query>>,
    ) => Promise<z.infer<Reply> | FastifyReply> | z.infer<Reply> | FastifyReply,
    sharing?: Sharing<Viewer>,
  ): void {
    // A route for admins that says nothing of API tokens was forgotten, and would be found by whoever has one.
    if (route.access === "admin" && route.scope === undefined)
      throw new Error(`${route.method} ${route.path} does not say which scope an API token needs for it`);
    this.#routes.push(route);
    this.#app.route({
      method: route.method,
      url: route.path,
      ...(route.bodyLimit === undefined ? {} : { bodyLimit: route.bodyLimit }),
      // Checked before the body is read: a caller without the right cannot make the server read a large body.
      onRequest: async (request) => {
        this.#viewers.set(request, await this.#deps.admit(route, request));
      },
      handler: async (request, reply) => {
        // Always set: a request that was not admitted never gets here.
        const viewer = this.#viewers.get(request) as Viewer;
        const body = check(
          route.body,
          request.body === undefined && route.method !== "GET" ? {} : request.body,
          "body",
        ) as z.infer<Body>;
        const query = check(route.query, request.query, "query") as z.infer<Query>;
        const params = (request.params ?? {}) as Record<string, string>;
        const answer = () => act({ body, query, params, viewer, actor: this.#deps.actorOf(viewer), request, reply });
        const { sharedAnswers } = this.#deps;
        if (sharing !== undefined && sharedAnswers !== undefined)
          return sharedAnswers.send({ request, reply }, sharing.sharedAmong(viewer), answer);
        try {
          return await answer();
        } finally {
          if (route.method !== "GET") sharedAnswers?.forget();
        }
      },
    });
  }

  /**
   * Serves a route that needs the raw bytes of its body, because they are signed. `check` throws for a request whose headers
   * are wrong already; its body is then not read. Only a few bodies are read at the same time.
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
        handler: async (request, reply) => {
          try {
            return await act(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0), request, reply);
          } finally {
            this.#deps.sharedAnswers?.forget();
          }
        },
      });
      registered();
    });
  }

  all(): readonly Route[] {
    return this.#routes;
  }

  #notFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const path = pathOf(request);
    const methods = this.#routes.filter((route) => matches(route.path, path)).map(({ method }) => method);
    if (methods.length === 0)
      return this.#fail(request, reply, new NestError("not_found", `no such address on this ${this.#deps.what}`));
    const allow = [...new Set(methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])))].join(", ");
    reply.header("allow", allow);
    return this.#fail(
      request,
      reply,
      new NestError("method_not_allowed", `${request.method} is not allowed here`, { hint: `use ${allow}` }),
    );
  }

  /** Answers a browser that opened a page with a page, and everything else with JSON. */
  #fail(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
    const problem = problemOf(thrown, this.#deps.what);
    if (problem.status === 500) reply.log.error({ err: thrown, path: request.routeOptions.url }, "request failed");
    if (!this.#wantsPage(request)) return sendProblem(reply, problem);
    if (problem.retryAfter !== undefined) reply.header("retry-after", problem.retryAfter);
    return sendPage(reply.code(problem.status), this.#deps.errorPage(problem), { isPassing: true });
  }

  /** Everything below `/api/` is data, except the addresses that redirect a browser. */
  #wantsPage(request: FastifyRequest): boolean {
    if (!isSafe(request) || !/\btext\/html\b/.test(request.headers.accept ?? "")) return false;
    const path = pathOf(request);
    if (!path.startsWith("/api/")) return true;
    return this.#routes.some((route) => route.produces === "text/html" && matches(route.path, path));
  }
}

function pathOf({ url }: FastifyRequest): string {
  return url.split("?", 1)[0] ?? "/";
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
  const field = at === "" ? where : at;
  // A schema's own sentence may begin with the field already.
  if (fault.startsWith(`${field}:`)) throw new NestError("bad_request", fault);
  throw new NestError("bad_request", `${field}: ${fault.charAt(0).toLowerCase()}${fault.slice(1)}`);
}
