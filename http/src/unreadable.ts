import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ErrorBody } from "@nest/protocol";

const OTHERWISE = { status: "400 Bad Request", code: "bad_request" };
const answers: Readonly<Record<string, typeof OTHERWISE>> = {
  HPE_HEADER_OVERFLOW: { status: "431 Request Header Fields Too Large", code: "headers_too_large" },
  ERR_HTTP_REQUEST_TIMEOUT: { status: "408 Request Timeout", code: "request_timeout" },
};

/** Answers what never became a request: Node's parser refused it. */
export function answerUnreadable({ code }: { readonly code: string }, socket: Socket): void {
  if (code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, code: said } = answers[code] ?? OTHERWISE;
  const body = JSON.stringify({ error: "the request could not be read", code: said } satisfies ErrorBody);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** Answers a request whose address the router could not decode. */
export function answerBadAddress(response: ServerResponse): void {
  const body: ErrorBody = { error: "the address could not be read", code: "bad_request" };
  response.writeHead(400, { "content-type": "application/json; charset=utf-8" }).end(JSON.stringify(body));
}
