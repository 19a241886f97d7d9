import { fileURLToPath } from "node:url";
import { type PeerFigures, runForked } from "./forked-peer.ts";
import { startRedis } from "./redis-server.ts";

const entry = fileURLToPath(new URL("./bullmq-process.ts", import.meta.url));

/** Runs BullMQ on a Redis of our own; a reason instead of figures where there is no Redis. */
export async function runBullmq(
  workers: number,
  concurrency: number,
  seconds: number,
): Promise<PeerFigures | { readonly absent: string }> {
  const redis = await startRedis();
  if ("absent" in redis) return redis;
  await using server = redis;
  return await runForked("BullMQ", entry, [server.port, workers, seconds, concurrency].map(String), seconds);
}
