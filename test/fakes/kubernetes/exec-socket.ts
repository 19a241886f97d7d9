import type { IncomingMessage } from "node:http";
import { type Duplex, PassThrough } from "node:stream";
import type { ContainerRun } from "@nest/local-cluster";
import { type WebSocket, WebSocketServer } from "ws";

/** A fake program in a container: gets the command, writes output and ends. */
export type ContainerProgram = (run: ContainerRun) => Promise<void> | void;

const sockets = new WebSocketServer({
  noServer: true,
  handleProtocols: (offered) => ["v5.channel.k8s.io", "v4.channel.k8s.io"].find((name) => offered.has(name)) ?? false,
});

/** Accepts the upgrade of an exec call, as a kubelet does, and runs a program behind it. */
export function acceptExec(request: IncomingMessage, socket: Duplex, head: Buffer, program: ContainerProgram): void {
  sockets.handleUpgrade(request, socket, head, (ws) => {
    const query = new URL(request.url ?? "/", "http://kubelet").searchParams;
    void program(runOver(ws, query.getAll("command")));
  });
}

function runOver(ws: WebSocket, command: readonly string[]): ContainerRun {
  const send = (channel: number, bytes: string | Buffer) =>
    ws.send(Buffer.concat([Buffer.from([channel]), Buffer.from(bytes)]));
  const stdin = new PassThrough();
  ws.on("message", (frame: Buffer) => {
    if (frame[0] === 0) stdin.write(frame.subarray(1));
    if (frame[0] === 255) stdin.end();
  });
  ws.on("close", () => stdin.end());
  return {
    command,
    stdin,
    stdout: (bytes) => send(1, bytes),
    stderr: (text) => send(2, text),
    exit(code) {
      send(3, JSON.stringify(statusOf(code)));
      ws.close(1000);
    },
    cut: () => ws.close(1000),
  };
}

function statusOf(code: number): object {
  if (code === 0) return { metadata: {}, status: "Success" };
  const message = `command terminated with non-zero exit code: exit status ${code}`;
  const causes = [{ reason: "ExitCode", message: String(code) }];
  return { metadata: {}, status: "Failure", message, reason: "NonZeroExitCode", details: { causes } };
}
