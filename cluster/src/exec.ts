import type { RequestOptions } from "node:https";
import { NestError } from "@nest/kit";
import { type ClientOptions, WebSocket } from "ws";
import { clusterFault, clusterUnreachable, type ExecRequest, type ExecResult } from "./cluster.ts";
import { ExecOutcome } from "./exec-outcome.ts";

/** The protocols for the exec streams over one WebSocket: the first byte of each frame names the stream. */
const PROTOCOLS = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
const MOST_FRAME_BYTES = 32 * 1024 * 1024;

/** Runs a program in a container over one WebSocket, which is always closed at the end. */
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
    const socket = new WebSocket(url, PROTOCOLS, socketOptions(run.options));
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
      outcome.fail(clusterFault(answer.statusCode ?? 0, what, ""));
    });
    socket.on("error", (cause) => outcome.fail(clusterUnreachable(what, cause)));
    socket.on("close", () => outcome.fail(new NestError("cluster_failed", `${what}: the stream broke off`)));
    socket.on("message", (frame: Buffer) => {
      if (frame[0] === STDOUT) outcome.stdout(frame.subarray(1));
      if (frame[0] === STDERR) outcome.stderr(frame.subarray(1));
      if (frame[0] === STATUS) outcome.status(frame.subarray(1));
    });
  });
}

/** Converts the client's request options for a WebSocket: certificates, headers and agent. */
function socketOptions(options: RequestOptions): ClientOptions {
  const { timeout: _, ...same } = options;
  return { ...(same as object), maxPayload: MOST_FRAME_BYTES, perMessageDeflate: false };
}
