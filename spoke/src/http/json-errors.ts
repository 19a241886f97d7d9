import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Log, NestError } from "@nest/kit";
import type { ErrorBody } from "@nest/protocol";
import type { FastifyInstance, FastifyReply } from "fastify";

/** Codes of the statuses that the server itself answers with. */
const codes: Readonly<Record<number, string>> = {
  400: "bad_request",
  404: "not_found",
  405: "method_not_allowed",
  413: "too_large",
  414: "uri_too_long",
  415: "unsupported_media_type",
  431: "headers_too_large",
  500: "internal_error",
  503: "unavailable",
};

/** Makes every failure of `app` a JSON body (contract §3), and a known path with the wrong method a 405 with `Allow`. */
export function registerJsonErrors(app: FastifyInstance, log: Log): void {
  const methods = new Map<string, Set<string>>();
  app.addHook("onRoute", (route) => {
    const known = methods.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) known.add(method);
    methods.set(route.url, known);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split("?")[0] ?? "/";
    const allowed = methods.get(path);
    if (allowed === undefined) return answer(reply, 404, "there is nothing at this address");
    reply.header("allow", [...allowed].sort().join(", "));
    return answer(reply, 405, `this address does not take ${request.method}`);
  });
  app.setErrorHandler((thrown: Error & { statusCode?: number }, request, reply) => {
    if (thrown instanceof NestError && statusOf[thrown.code] !== undefined) return foreseen(reply, thrown);
    const status = thrown.statusCode ?? 500;
    if (status < 500) return answer(reply, status, thrown.message);
    log.error({ err: thrown, path: request.routeOptions.url }, "request failed");
    return answer(reply, 500, "something went wrong here");
  });
}

/** Status by code of the failures that a route foresees. */
const statusOf: Readonly<Record<string, number>> = {
  bad_request: 400,
  unauthenticated: 401,
  forbidden: 403,
  foreign_origin: 403,
  misdirected_request: 421,
  backup_key_missing: 412,
  backup_key_unusable: 412,
  backup_too_large: 413,
  backup_running: 429,
};

function foreseen(reply: FastifyReply, { code, message, hint }: NestError): FastifyReply {
  const status = statusOf[code] ?? 500;
  if (status === 429) reply.header("retry-after", "10");
  const body: ErrorBody = { error: message, code, ...(hint === undefined ? {} : { hint }) };
  return reply.code(status).type("application/json; charset=utf-8").send(body);
}

/** For requests that never became one: what Node's parser refused. */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400;
  const body = JSON.stringify(errorBody(status, "the request could not be read"));
  socket.end(
    `HTTP/1.1 ${status} Error\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** For an address that the router could not decode. */
export function answerBadAddress(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(400, { "content-type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(errorBody(400, "the address could not be read")));
}

function answer(reply: FastifyReply, status: number, sentence: string): FastifyReply {
  return reply.code(status).type("application/json; charset=utf-8").send(errorBody(status, sentence));
}

function errorBody(status: number, sentence: string): ErrorBody {
  return { error: sentence, code: codes[status] ?? "bad_request" };
}
