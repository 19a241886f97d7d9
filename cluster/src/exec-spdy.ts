import { type ClientRequest, type IncomingMessage, request as requestPlain } from "node:http";
import { type RequestOptions, request as requestTls } from "node:https";
import type { Duplex } from "node:stream";
import { NestError } from "@nest/kit";
import { clusterFault, clusterUnreachable, type ExecRequest, type ExecResult } from "./cluster.ts";
import { feed } from "./exec-input.ts";
import { ExecOutcome } from "./exec-outcome.ts";
import { dataFrame, openStream, SpdyReader } from "./spdy.ts";

const PROTOCOL = "v4.channel.k8s.io";
/** A client's stream ids are odd. The error stream carries the status. */
const ERROR = 1;
const STDOUT = 3;
const STDERR = 5;
const STDIN = 7;

/** Runs a program in a container over SPDY: a POST, which the verb `create` on `pods/exec` allows. */
export function execOverSpdy(run: {
  readonly url: URL;
  readonly options: RequestOptions;
  readonly what: string;
  readonly request: ExecRequest;
}): Promise<ExecResult> {
  const { what, request } = run;
  return new Promise((resolve, reject) => {
    if (request.signal.aborted) return reject(request.signal.reason);
    let connection: Duplex | undefined;
    const send = run.url.protocol === "https:" ? requestTls : requestPlain;
    const upgrade = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": PROTOCOL };
    const headers = { ...(run.options.headers as Record<string, string>), ...upgrade, "content-length": "0" };
    const sent: ClientRequest = send(run.url, { ...run.options, method: "POST", headers });
    const end = (act: () => void) => {
      request.signal.removeEventListener("abort", onAbort);
      connection?.destroy();
      sent.destroy();
      act();
    };
    const onAbort = () => end(() => reject(request.signal.reason));
    request.signal.addEventListener("abort", onAbort, { once: true });
    sent.on("error", (cause) => end(() => reject(clusterUnreachable(what, cause))));
    sent.on("response", (answer: IncomingMessage) => {
      answer.resume();
      end(() => reject(clusterFault(answer.statusCode ?? 0, what, "")));
    });
    sent.on("upgrade", (_answer, socket: Duplex, first: Buffer) => {
      connection = socket;
      const outcome = new ExecOutcome(what, request, {
        done: (result) => end(() => resolve(result)),
        failed: (thrown) => end(() => reject(thrown)),
      });
      for (const bytes of streams()) socket.write(bytes);
      listen(socket, first, outcome);
      if (request.stdin === undefined) return;
      socket.write(openStream(STDIN, { streamtype: "stdin" }, { isFirst: false, isOneWay: false }));
      feed(request.stdin, inputOf(socket), outcome);
    });
    sent.end();
  });
}

function streams(): Buffer[] {
  return [
    openStream(ERROR, { streamtype: "error" }, { isFirst: true, isOneWay: true }),
    openStream(STDOUT, { streamtype: "stdout" }, { isFirst: false, isOneWay: false }),
    openStream(STDERR, { streamtype: "stderr" }, { isFirst: false, isOneWay: false }),
  ];
}

function inputOf(socket: Duplex) {
  const send = (bytes: Uint8Array, isLast: boolean) =>
    new Promise<void>((resolve, reject) => {
      socket.write(dataFrame(STDIN, bytes, isLast), (thrown) => (thrown ? reject(thrown) : resolve()));
    });
  return {
    write: (bytes: Uint8Array) => send(bytes, false),
    end: () => send(new Uint8Array(0), true),
  };
}

function listen(socket: Duplex, first: Buffer, outcome: ExecOutcome): void {
  const reader = new SpdyReader();
  const status: Buffer[] = [];
  const ended = new Set<number>();
  const take = (bytes: Buffer) => {
    for (const frame of reader.push(bytes)) {
      if (frame.kind === "ping") socket.write(frame.frame);
      if (frame.kind === "reset") ended.add(frame.stream);
      if (frame.kind === "data") {
        if (frame.stream === STDOUT) outcome.stdout(frame.bytes);
        if (frame.stream === STDERR) outcome.stderr(frame.bytes);
        if (frame.stream === ERROR) status.push(Buffer.from(frame.bytes));
        if (frame.isLast) ended.add(frame.stream);
      }
    }
    // Each stream ends separately; the status may arrive before the last output.
    if (status.length > 0 && ended.has(ERROR) && ended.has(STDOUT)) outcome.status(Buffer.concat(status));
  };
  const brokenOff = () => {
    if (status.length > 0) outcome.status(Buffer.concat(status));
    else outcome.fail(new NestError("cluster_failed", "the stream broke off"));
  };
  socket.on("data", take);
  socket.on("error", brokenOff);
  socket.on("close", brokenOff);
  if (first.length > 0) take(first);
}
