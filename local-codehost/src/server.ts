import Fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from "fastify";
import { identify } from "./access.ts";
import { apiRoutes, jsonOf } from "./api.ts";
import { ApiRefusal } from "./api-call.ts";
import type { DeviceFlow } from "./device-flow.ts";
import { gitRoutes } from "./git-http.ts";
import { CONTENT_SECURITY_POLICY } from "./html.ts";
import { absentPage, devicePage, showPage } from "./pages.ts";
import type { Platform } from "./platform.ts";
import type { ScriptedFailures } from "./scripted-failures.ts";

const LARGEST_BODY = 1024 * 1024;
/** Longer than any branch name: it is one part of an address. */
const LONGEST_PATH_PART = 1000;
const PAGES = ["/", "/:owner", "/:owner/:name", "/:owner/:name/:section", "/:owner/:name/:section/:number"];
const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  // Not "no-referrer": with it a browser would send its own forms here from the origin "null".
  "referrer-policy": "same-origin",
};

export interface ServerDeps {
  readonly platform: Platform;
  readonly deviceFlow: DeviceFlow;
  readonly failures: ScriptedFailures;
}

/** Everything that the local code host answers: git, sign-in, API and pages. It does not listen yet. */
export function buildServer({ platform, deviceFlow, failures }: ServerDeps): FastifyInstance {
  const app = Fastify({
    bodyLimit: LARGEST_BODY,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: LONGEST_PATH_PART },
  });
  app.addHook("onRequest", async (request, reply) => {
    const failure = failures.take(request.method, pathOf(request));
    if (failure === undefined) return undefined;
    reply.code(failure.status).headers({ "content-type": "application/json; charset=utf-8", ...failure.headers });
    return reply.send(failure.body ?? JSON.stringify({ message: `scripted failure ${failure.status}` }));
  });
  app.setNotFoundHandler((request, reply) => {
    reply.code(404);
    // A browser that opened an address is shown a page; every client of the API names JSON, or nothing.
    if (/\btext\/html\b/.test(request.headers.accept ?? "")) return reply.headers(PAGE_HEADERS).send(absentPage());
    return reply.send({ message: "Not Found", documentation_url: "" });
  });
  app.setErrorHandler((thrown: FastifyError | ApiRefusal, _request, reply) => {
    const status = thrown instanceof ApiRefusal ? thrown.status : (thrown.statusCode ?? 500);
    if (status < 500) return reply.code(status).send({ message: thrown.message, documentation_url: "" });
    process.emitWarning(thrown);
    return reply.code(500).send({ message: "Server Error" });
  });
  app.removeAllContentTypeParsers();
  app.register((scope, _options, done) => {
    gitRoutes(scope, platform);
    done();
  });
  app.register((scope, _options, done) => {
    // The platform reads JSON whatever the content type says.
    scope.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
    signInRoutes(scope, platform, deviceFlow);
    apiRoutes(scope, platform);
    done();
  });
  for (const path of PAGES) {
    app.get(path, async (request, reply) => {
      const shown = await showPage(platform, identify(platform.store, request.headers.authorization), urlOf(request));
      return shown === undefined ? reply.callNotFound() : reply.headers(PAGE_HEADERS).send(shown);
    });
  }
  return app;

  function urlOf(request: FastifyRequest): URL {
    return new URL(request.url, platform.url);
  }
}

/** The sign-in of devices: two calls of the device, and the page where a person types the code. */
function signInRoutes(app: FastifyInstance, platform: Platform, deviceFlow: DeviceFlow): void {
  app.get("/login/device", (request, reply) => {
    const { user_code: code } = request.query as Readonly<Record<string, unknown>>;
    return reply.headers(PAGE_HEADERS).send(devicePage("ask", typeof code === "string" ? code : ""));
  });
  app.post("/login/device/code", async (request) => deviceFlow.start(fieldsOf(request)));
  app.post("/login/oauth/access_token", async (request) => {
    const answer = deviceFlow.poll(fieldsOf(request));
    await platform.store.save();
    return answer;
  });
  app.post("/login/device", async (request, reply) => {
    const fields = fieldsOf(request);
    const { origin } = request.headers;
    if (origin !== undefined && origin !== platform.url) throw new ApiRefusal(403, "Cross-origin form");
    const login = fields.get("login") ?? "";
    const deny = fields.get("decision") === "deny";
    if (!deny && !/^[A-Za-z0-9-]{1,39}$/.test(login)) throw new ApiRefusal(422, "Validation Failed: login");
    const known = deviceFlow.decide(fields.get("user_code") ?? "", deny ? "deny" : { login });
    return reply.headers(PAGE_HEADERS).send(devicePage(known ? (deny ? "denied" : "approved") : "unknown code"));
  });
}

function fieldsOf(request: FastifyRequest): URLSearchParams {
  const text = typeof request.body === "string" ? request.body : "";
  if (!request.headers["content-type"]?.includes("json")) return new URLSearchParams(text);
  return new URLSearchParams(
    Object.entries(jsonOf(text)).map(([name, value]): [string, string] => [name, String(value)]),
  );
}

function pathOf(request: FastifyRequest): string {
  return request.url.split("?", 1)[0] ?? "";
}
