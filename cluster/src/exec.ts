import type { RequestOptions } from "node:https";
import { NestError } from "@nest/kit";
import { type ClientOptions, WebSocket } from "ws";
import { clusterFault, clusterUnreachable, type ExecRequest, type ExecResult } from "./cluster.ts";

/** The cluster's streams over one WebSocket: the first byte of each frame says which. */
const PROTOCOLS = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
const MOST_STDERR_CHARACTERS = 300;
const MOST_FRAME_BYTES = 32 * 1024 * 1024;

/** One run of a program in a container, over one socket that is closed at its end whatever happened. */
export function execOverSocket(run: {
  readonly url: URL;
  readonly options: RequestOptions;
  readonly what: string;
  readonly request: ExecRequest;
}): Promise<ExecResult> {
  const { what, request } = run;
  return new Promise((resolve, reject) => {
    if (request.signal.aborted) return reject(request.signal.reason);
    const socket = new WebSocket(run.url, PROTOCOLS, socketOptions(run.options));
    let stderr = "";
    const end = (act: () => void) => {
      request.signal.removeEventListener("abort", onAbort);
      socket.removeAllListeners("message");
      socket.terminate();
      act();
    };
    const onAbort = () => end(() => reject(request.signal.reason));
    request.signal.addEventListener("abort", onAbort, { once: true });
    socket.on("unexpected-response", (_, answer) => {
      answer.resume();
      end(() => reject(clusterFault(answer.statusCode ?? 0, what, "")));
    });
    socket.on("error", (cause) => end(() => reject(clusterUnreachable(what, cause))));
    socket.on("close", () => end(() => reject(new NestError("cluster_failed", `${what}: the stream broke off`))));
    socket.on("message", (frame: Buffer) => {
      const body = frame.subarray(1);
      if (frame[0] === STDERR) stderr = `${stderr}${body.toString("utf8")}`.slice(0, MOST_STDERR_CHARACTERS);
      if (frame[0] === STDOUT) {
        try {
          request.stdout(body);
        } catch (thrown) {
          end(() => reject(thrown));
        }
      }
      if (frame[0] === STATUS) {
        const exitCode = exitCodeIn(body);
        if (exitCode === undefined) end(() => reject(new NestError("cluster_failed", `${what}: ${messageIn(body)}`)));
        else end(() => resolve({ exitCode, stderr: stderr.trim() }));
      }
    });
  });
}

/** What the client's options mean for a socket: the same certificates, headers and agent. */
function socketOptions(options: RequestOptions): ClientOptions {
  const { timeout: _, ...same } = options;
  return { ...(same as object), maxPayload: MOST_FRAME_BYTES, perMessageDeflate: false };
}

interface Status {
  readonly status?: string;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] };
}

function exitCodeIn(body: Buffer): number | undefined {
  const status = statusIn(body);
  if (status.status === "Success") return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === "ExitCode");
  const code = Number(cause?.message);
  return Number.isInteger(code) && cause !== undefined ? code : undefined;
}

function messageIn(body: Buffer): string {
  return (statusIn(body).message ?? "failed without a reason").slice(0, MOST_STDERR_CHARACTERS);
}

function statusIn(body: Buffer): Status {
  try {
    return JSON.parse(body.toString("utf8")) as Status;
  } catch {
    return {};
  }
}
