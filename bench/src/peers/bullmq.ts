import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Latencies } from "../load/commands.ts";
import { endProcess, keepTrack } from "../process/child.ts";
import { startRedis } from "./redis-server.ts";

const entry = fileURLToPath(new URL("./bullmq-process.ts", import.meta.url));

export interface BullmqFigures {
  readonly perSecond: number;
  /** The preloaded jobs ran out before the time did; the rate is right all the same. */
  readonly drained: boolean;
  readonly addToStart: Latencies;
}

/** Runs BullMQ on a Redis of our own; a reason instead of figures where there is no Redis. */
export async function runBullmq(
  workers: number,
  concurrency: number,
  seconds: number,
): Promise<BullmqFigures | { readonly absent: string }> {
  const redis = await startRedis();
  if ("absent" in redis) return redis;
  await using server = redis;
  const args = [server.port, workers, seconds, concurrency].map(String);
  const child = fork(entry, args, { execArgv: ["--disable-warning=ExperimentalWarning"] });
  keepTrack(child);
  try {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("BullMQ gave no figures in time")), 60_000 + seconds * 3000);
      child.once("message", (figures) => resolve(figures as BullmqFigures));
      child.once("exit", () => reject(new Error("BullMQ ended without figures")));
      child.once("exit", () => clearTimeout(timer));
    });
  } finally {
    await endProcess(child, "SIGKILL");
  }
}
