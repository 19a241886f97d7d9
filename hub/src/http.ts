import type { IncomingMessage } from "node:http";
import { isIPv6, type Socket } from "node:net";
import type { Log } from "@nest/kit";
import type { ErrorBody } from "@nest/protocol";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { misdirected } from "./access/known-host.ts";

const BODY_LIMIT_BYTES = 64 * 1024;

/** The hub's HTTP server without its routes; each feature brings its own. Not listening yet, so tests can inject requests. */
export function buildHttp(
  log: Log,
  trustProxy: (address: string, hop: number) => boolean,
  isKnownHost: (request: IncomingMessage) => boolean,
): FastifyInstance {
  const http = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: true,
    exposeHeadRoutes: true,
    // A trusted proxy says for whom it asks, by which name and over which protocol.
    trustProxy,
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (_error, _request, reply) => {
      const body: ErrorBody = { error: "the address could not be read", code: "bad_request" };
      reply.hijack();
      reply.raw.writeHead(400, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
    },
  });
  // Fastify takes plain text by itself; every body here is JSON.
  http.removeContentTypeParser("text/plain");
  http.addHook("onRequest", async (request) => {
    if (!isKnownHost(request.raw)) throw misdirected();
  });
  http.addHook("onSend", async (_request, reply) => {
    reply.header("x-content-type-options", "nosniff");
    reply.header("referrer-policy", "same-origin");
  });
  return http;
}

/** `http://HOST:PORT`, as a client takes it. */
export function webAddress(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** For requests that never became one: what Node's parser refused. */
function answerUnreadable({ code }: { readonly code: string }, socket: Socket): void {
  if (code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer = unreadable[code] ?? { status: "400 Bad Request", code: "bad_request" };
  const body = JSON.stringify({ error: "the request could not be read", code: answer.code } satisfies ErrorBody);
  socket.end(
    `HTTP/1.1 ${answer.status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const unreadable: Readonly<Record<string, { readonly status: string; readonly code: string }>> = {
  HPE_HEADER_OVERFLOW: { status: "431 Request Header Fields Too Large", code: "headers_too_large" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: "408 Request Timeout", code: "request_timeout" },
};
