import type { RequestOptions } from "node:https";
import { NestError } from "@nest/kit";
import { type ClientOptions, WebSocket } from "ws";
import { clusterFault, clusterUnreachable, type ExecRequest, type ExecResult } from "./cluster.ts";
import { feed } from "./exec-input.ts";
import { ExecOutcome } from "./exec-outcome.ts";

/** The protocols for the exec streams over one WebSocket: the first byte of each frame names the stream. */
const PROTOCOLS = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
/** Only the newer one can tell the end of the input. */
const PROTOCOLS_WITH_INPUT = ["v5.channel.k8s.io"];
const STDIN = 0;
const CLOSE = 255;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
const MOST_FRAME_BYTES = 32 * 1024 * 1024;

/** Answers of servers, or of proxies before them, that have no WebSocket for exec. Nothing was run. */
const WITHOUT_SOCKET: ReadonlySet<number> = new Set([400, 403, 405, 426, 501]);

/** The cluster did not take the WebSocket; the older streams may still do. */
export class NoSocket extends Error {}

/**
 * Runs a program in a container over one WebSocket, which is always closed at the end.
 *
 * @throws NoSocket when the cluster has none to offer, or its roles allow only the older streams.
 */
export function execOverSocket(run: {
  readonly url: URL;
  readonly options: RequestOptions;
  readonly what: string;
  readonly request: ExecRequest;
}): Promise<ExecResult> {
  const { what, request } = run;
  return new Promise((resolve, reject) => {
    if (request.signal.aborted) return reject(request.signal.reason);
    const url = new URL(run.url);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url, request.stdin ? PROTOCOLS_WITH_INPUT : PROTOCOLS, socketOptions(run.options));
    const end = (act: () => void) => {
      request.signal.removeEventListener("abort", onAbort);
      socket.removeAllListeners("message");
      socket.terminate();
      act();
    };
    const onAbort = () => end(() => reject(request.signal.reason));
    const outcome = new ExecOutcome(what, request, {
      done: (result) => end(() => resolve(result)),
      failed: (thrown) => end(() => reject(thrown)),
    });
    request.signal.addEventListener("abort", onAbort, { once: true });
    socket.on("unexpected-response", (_, answer) => {
      answer.resume();
      const fault = clusterFault(answer.statusCode ?? 0, what, "");
      outcome.fail(WITHOUT_SOCKET.has(answer.statusCode ?? 0) ? new NoSocket(fault.message, { cause: fault }) : fault);
    });
    socket.on("open", () => {
      if (request.stdin !== undefined) feed(request.stdin, inputOf(socket), outcome);
    });
    socket.on("error", (cause) =>
      outcome.fail(isRefusedProtocol(cause) ? new NoSocket() : clusterUnreachable(what, cause)),
    );
    socket.on("close", () => outcome.fail(new NestError("cluster_failed", `${what}: the stream broke off`)));
    socket.on("message", (frame: Buffer) => {
      if (frame[0] === STDOUT) outcome.stdout(frame.subarray(1));
      if (frame[0] === STDERR) outcome.stderr(frame.subarray(1));
      if (frame[0] === STATUS) outcome.status(frame.subarray(1));
    });
  });
}

function inputOf(socket: WebSocket) {
  const send = (bytes: Uint8Array) =>
    new Promise<void>((resolve, reject) => socket.send(bytes, (thrown) => (thrown ? reject(thrown) : resolve())));
  return {
    write: (bytes: Uint8Array) => send(Buffer.concat([Buffer.from([STDIN]), bytes])),
    end: () => send(Buffer.from([CLOSE, STDIN])),
  };
}

/** Errors of the network have a code; those of the handshake have none. */
function isRefusedProtocol(cause: Error): boolean {
  return (cause as NodeJS.ErrnoException).code === undefined && /subprotocol/.test(cause.message);
}

/** Converts the client's request options for a WebSocket: certificates, headers and agent. */
function socketOptions(options: RequestOptions): ClientOptions {
  const { timeout: _, ...same } = options;
  return { ...(same as object), maxPayload: MOST_FRAME_BYTES, perMessageDeflate: false };
}
