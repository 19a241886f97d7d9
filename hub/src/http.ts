import type { IncomingMessage } from "node:http";
import { isIPv6, type Socket } from "node:net";
import type { Log } from "@nest/kit";
import type { ErrorBody } from "@nest/protocol";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { misdirected } from "./access/known-host.ts";

const BODY_LIMIT_BYTES = 64 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;
/** Requests that one connection may have unanswered: a browser has one, a pipeline of strangers thousands. */
const MOST_UNANSWERED = 32;

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
    // A request that takes longer to arrive is none.
    requestTimeout: REQUEST_TIMEOUT_MS,
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
  const unanswered = new WeakMap<Socket, number>();
  http.addHook("onRequest", async (request, reply) => {
    const { socket } = request.raw;
    const waiting = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, waiting);
    reply.raw.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    if (waiting > MOST_UNANSWERED) socket.destroy();
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
