import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endProcess, keepTrack } from "../process/child.ts";

const PROGRAM = "redis-server";

/** A Redis of our own: loopback, temporary folder, append-only file synced every second. */
export interface RedisServer extends AsyncDisposable {
  readonly port: number;
}

/** Starts `redis-server`, or says why it cannot. */
export async function startRedis(): Promise<RedisServer | { readonly absent: string }> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "nest-bench-redis-"));
  const options = ["--bind", "127.0.0.1", "--dir", folder, "--appendonly", "yes", "--appendfsync", "everysec"];
  const child = spawn(PROGRAM, ["--port", String(port), ...options, "--save", ""], { stdio: "ignore" });
  const failed = new Promise<string>((resolve) => {
    child.once("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code === "ENOENT" ? "redis-server is not installed" : error.message),
    );
    child.once("exit", (code) => resolve(`redis-server ended with ${code}`));
  });
  keepTrack(child);
  const absent = await Promise.race([failed, answers(port)]);
  if (absent !== undefined) {
    await rm(folder, { recursive: true, force: true });
    return { absent };
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      await endProcess(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(port: number): Promise<undefined | string> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const isUp = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => socket.end(() => resolve(true)));
      socket.once("error", () => resolve(false));
    });
    if (isUp) return undefined;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return "redis-server did not answer within 5 s";
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
