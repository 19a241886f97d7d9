import type { Log } from "@nest/kit";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";

const BODY_LIMIT_BYTES = 64 * 1024;

/** The hub's HTTP server without its routes; each feature brings its own. Not listening yet, so tests can inject requests. */
export function buildHttp(log: Log): FastifyInstance {
  const http = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: true,
    exposeHeadRoutes: true,
    // A proxy on this machine says for whom it asks, by which name and over which protocol.
    trustProxy: "loopback",
  });
  http.addHook("onSend", async (_request, reply) => {
    reply.header("x-content-type-options", "nosniff");
    reply.header("referrer-policy", "same-origin");
  });
  return http;
}
