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
