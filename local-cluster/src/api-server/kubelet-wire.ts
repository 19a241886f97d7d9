import type { Socket } from "node:net";
import { PassThrough } from "node:stream";

/** What the stub kubelet (stub-kubelet.go) asks: to run a program in a container, or for its log. */
export interface KubeletCall {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command?: readonly string[];
  readonly stdin?: boolean;
  readonly logs?: { readonly follow: boolean; readonly previous: boolean; readonly tail: string };
}

/** A program in a container, with its streams at the caller's. */
export interface ContainerRun {
  readonly command: readonly string[];
  /** What the client sends to the program, until it tells the end. */
  readonly stdin: AsyncIterable<Buffer>;
  stdout(bytes: string | Buffer): void;
  stderr(text: string): void;
  /** Ends with an exit code. */
  exit(code: number): void;
  /** Ends without an exit code, like a broken stream. */
  cut(): void;
}

/** Serves a call to a container; `gone` ends when the caller has gone. */
export type ContainerServer = (call: KubeletCall, run: ContainerRun, gone: AbortSignal) => void;

const LINE_FEED = 10;
const HEAD_BYTES = 5;

/** Reads a call from the stub kubelet: one line of JSON, then frames of input; an empty frame ends the input. */
export function readCall(connection: Socket, act: (call: KubeletCall, stdin: PassThrough) => void): void {
  const stdin = new PassThrough();
  let held: Buffer = Buffer.alloc(0);
  let call: KubeletCall | undefined;
  connection.on("data", (bytes: Buffer) => {
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    if (call === undefined) {
      const end = held.indexOf(LINE_FEED);
      if (end === -1) return;
      call = JSON.parse(held.subarray(0, end).toString("utf8")) as KubeletCall;
      held = held.subarray(end + 1);
      if (call.stdin !== true) stdin.end();
      act(call, stdin);
    }
    while (held.length >= HEAD_BYTES) {
      const length = held.readUInt32BE(1);
      if (held.length < HEAD_BYTES + length) return;
      if (length === 0) stdin.end();
      else if (!stdin.write(held.subarray(HEAD_BYTES, HEAD_BYTES + length))) {
        connection.pause();
        stdin.once("drain", () => connection.resume());
      }
      held = held.subarray(HEAD_BYTES + length);
    }
  });
  connection.on("close", () => stdin.end());
}

/** The caller's side of a connection from the stub kubelet, as frames of output. */
export function runOver(connection: Socket, call: KubeletCall, stdin: PassThrough): ContainerRun {
  const frame = (channel: number, bytes: string | Buffer) => {
    const head = Buffer.alloc(HEAD_BYTES);
    head[0] = channel;
    head.writeUInt32BE(Buffer.byteLength(bytes), 1);
    connection.write(Buffer.concat([head, Buffer.from(bytes)]));
  };
  return {
    command: call.command ?? [],
    stdin,
    stdout: (bytes) => frame(1, bytes),
    stderr: (text) => frame(2, text),
    exit: (code) => frame(3, String(code)),
    cut: () => connection.end(),
  };
}
