import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import type { Pty } from "./pty.ts";
import { Viewing } from "./viewing.ts";

/** A terminal whose program does what the test says. */
class ScriptedPty implements Pty {
  print: (bytes: Buffer) => void = () => undefined;
  exit: () => void = () => undefined;
  typed = "";
  readonly done: string[] = [];
  onOutput(listener: (bytes: Buffer) => void): void {
    this.print = listener;
  }
  onExit(listener: () => void): void {
    this.exit = listener;
  }
  write(bytes: Buffer): void {
    this.typed += bytes.toString();
  }
  resize(columns: number, rows: number): void {
    this.done.push(`${columns}x${rows}`);
  }
  pause(): void {
    this.done.push("pause");
  }
  resume(): void {
    this.done.push("resume");
  }
  close(): void {
    this.done.push("close");
  }
}

let server: WebSocketServer;
let viewer: WebSocket;
let there: WebSocket;
let pty: ScriptedPty;

beforeEach(async () => {
  server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  viewer = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [[socket]] = await Promise.all([once(server, "connection"), once(viewer, "open")]);
  there = socket as WebSocket;
  pty = new ScriptedPty();
});
afterEach(async () => {
  viewer.terminate();
  await new Promise((resolve) => server.close(resolve));
});

function show(isReadOnly: boolean): void {
  // The clock stands still: all input comes within one second.
  new Viewing({ socket: there, title: "scanner", isReadOnly, now: () => 0 }).show(pty);
}

test("what an owner types reaches the program, and what a reader types does not", async () => {
  show(false);
  viewer.send("0owner");
  await expect.poll(() => pty.typed).toBe("owner");
});

test("input of a reader ends at the server, also after a resize that is taken", async () => {
  show(true);
  viewer.send("0reader");
  viewer.send('1{"columns":90,"rows":20}');
  await expect.poll(() => pty.done).toEqual(["90x20"]);
  expect(pty.typed).toBe("");
});

test("a size that came before the terminal was there is taken when it is", async () => {
  const viewing = new Viewing({ socket: there, title: "scanner", isReadOnly: false, now: () => 0 });
  viewer.send('1{"columns":90,"rows":20}');
  await once(there, "message");
  viewing.show(pty);
  expect(pty.done).toEqual(["90x20"]);
});

test("a viewer that does not keep up makes the terminal wait, and one that has caught up lets it go on", async () => {
  show(false);
  viewer.pause();
  const chunk = Buffer.alloc(64 * 1024, "x");
  for (let nth = 0; nth < 400 && pty.done.length === 0; nth += 1) pty.print(chunk);
  expect(pty.done).toEqual(["pause"]);
  viewer.resume();
  await expect.poll(() => pty.done).toEqual(["pause", "resume"]);
});

test("a viewer may make it wait itself", async () => {
  show(false);
  for (const frame of ["2", "2", "3", "3"]) viewer.send(frame);
  await expect.poll(() => pty.done).toEqual(["pause", "resume"]);
});

test("more than two megabytes of input within a second end the connection", async () => {
  show(false);
  const closed = once(viewer, "close");
  for (let nth = 0; nth < 50; nth += 1) viewer.send(`0${"x".repeat(60_000)}`);
  expect((await closed)[0]).toBe(1009);
  expect(pty.typed.length).toBeLessThanOrEqual(2 * 1024 * 1024);
});

test("a connection that ends hangs up its terminal, and a terminal that ends closes its connection", async () => {
  show(false);
  const closed = once(viewer, "close");
  pty.exit();
  expect((await closed)[0]).toBe(1000);
  await expect.poll(() => pty.done).toEqual(["close"]);
});
