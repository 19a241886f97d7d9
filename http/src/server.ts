import type { IncomingMessage } from "node:http";
import { isIPv6, type Socket } from "node:net";
import fastifyCookie from "@fastify/cookie";
import type { Log } from "@nest/kit";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { compressAnswers } from "./compress.ts";
import { type HostNames, misdirected } from "./known-host.ts";
import { answerBadAddress, answerUnreadable } from "./unreadable.ts";

/** The largest request body, unless a route says otherwise. */
const BODY_LIMIT_BYTES = 64 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;
/** How many requests of one connection may be unanswered: a browser has one, a stranger could pipeline thousands. */
const MOST_UNANSWERED = 32;

export interface ServerOptions {
  readonly log: Log;
  /** Whether a request names this server by a host name that it knows. */
  readonly isKnownHost: (request: IncomingMessage) => boolean;
  /** The refusal of a request that does not. */
  readonly names: HostNames;
  /** The proxies that are believed about the client's address, host name and protocol; none unless given. */
  readonly trustProxy?: (address: string, hop: number) => boolean;
}

/**
 * An HTTP server without its routes, with the limits and refusals that hub and spoke share; each feature brings its own routes.
 * Not listening yet, so that tests can inject requests.
 */
export async function buildServer({ log, isKnownHost, names, trustProxy }: ServerOptions): Promise<FastifyInstance> {
  const http = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Nothing is said of a single request but its path: a logger of its own for each would be made for nothing.
    childLoggerFactory: (logger) => logger,
    bodyLimit: BODY_LIMIT_BYTES,
    forceCloseConnections: true,
    // A request that takes longer than this to arrive is cut off.
    requestTimeout: REQUEST_TIMEOUT_MS,
    exposeHeadRoutes: true,
    ...(trustProxy === undefined ? {} : { trustProxy }),
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (_error, _request, reply) => {
      reply.hijack();
      answerBadAddress(reply.raw);
    },
  });
  readJsonBodies(http);
  http.addHook("onRequest", async (request) => {
    if (!isKnownHost(request.raw)) throw misdirected(names);
  });
  limitUnanswered(http);
  http.addHook("onSend", async (_request, reply) => {
    reply.header("x-content-type-options", "nosniff");
    reply.header("referrer-policy", "same-origin");
  });
  await http.register(fastifyCookie);
  compressAnswers(http);
  return http;
}

/** Every body is JSON. An empty body counts as absent, whatever its content type: many clients always send one. */
function readJsonBodies(http: FastifyInstance): void {
  const parse = http.getDefaultJsonParser("error", "error");
  http.removeContentTypeParser(["application/json", "text/plain"]);
  http.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else void parse(request, body as string, done);
  });
}

function limitUnanswered(http: FastifyInstance): void {
  const unanswered = new WeakMap<Socket, number>();
  http.addHook("onRequest", async (request, reply) => {
    const { socket } = request.raw;
    const waiting = (unanswered.get(socket) ?? 0) + 1;
    unanswered.set(socket, waiting);
    reply.raw.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    if (waiting > MOST_UNANSWERED) socket.destroy();
  });
}

/** `http://HOST:PORT`, as a client takes it. */
export function webAddress(host: string, port: number): string {
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
