import { fileURLToPath } from "node:url";
import { RealPostgres } from "@nest/test/real-postgres";
import { benchPostgres } from "./bench-postgres.ts";
import { type PeerFigures, runForked } from "./forked-peer.ts";

/** Job queues on PostgreSQL, each on a new database of a server of the bench's own. */
export const postgresQueues = [
  {
    name: "graphile-worker 8",
    entry: fileURLToPath(new URL("./graphile-worker-process.ts", import.meta.url)),
    workers: 8,
  },
  { name: "pg-boss fetch 8", entry: fileURLToPath(new URL("./pg-boss-process.ts", import.meta.url)), workers: 8 },
] as const;

/** Runs one of them: jobs that do nothing, one at a time for each worker, added beforehand. */
export async function runPostgresQueue(queue: (typeof postgresQueues)[number], seconds: number): Promise<PeerFigures> {
  await using server = await RealPostgres.start(benchPostgres);
  return await runForked(
    queue.name,
    queue.entry,
    [await server.database(), String(queue.workers), String(seconds)],
    seconds,
  );
}
