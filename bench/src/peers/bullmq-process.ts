import { Queue, Worker } from "bullmq";
import { Samples } from "../figures/percentiles.ts";

/**
 * BullMQ in a process of its own: `workers` workers of one job at a time with a handler that does nothing. First jobs that
 * were added in bulk beforehand, then single jobs at a fixed rate into an idle queue, timed from add to start.
 */
const [port = "0", workers = "200", seconds = "5", concurrency = "1"] = process.argv.slice(2);
const connection = { host: "127.0.0.1", port: Number(port), maxRetriesPerRequest: null };
const ENOUGH_PER_SECOND = 25_000;
const BULK = 5000;
const SINGLE_PER_SECOND = 500;

const queue = new Queue("bench", { connection });
const preload = Math.ceil(ENOUGH_PER_SECOND * Number(seconds));
for (let added = 0; added < preload; added += BULK) {
  await queue.addBulk(Array.from({ length: BULK }, (_, at) => ({ name: "issue", data: { number: added + at } })));
}

let done = 0;
const waits = new Samples();
let timing = false;
const crew = Array.from(
  { length: Number(workers) },
  () =>
    new Worker(
      "bench",
      async (job) => {
        if (timing) waits.add(performance.timeOrigin + performance.now() - (job.data as { at: number }).at);
      },
      { connection, concurrency: Number(concurrency) },
    ),
);
for (const worker of crew) worker.on("completed", () => (done += 1));
await Promise.all(crew.map((worker) => worker.waitUntilReady()));
await pause(1000);
const before = done;
const began = performance.now();
await pause(Number(seconds) * 1000, () => done >= preload);
const perSecond = (done - before) / ((performance.now() - began) / 1000);
const drained = done >= preload;

await queue.drain();
await pause(1500);
timing = true;
const from = performance.now();
for (let asked = 0; performance.now() - from < 3000; ) {
  const due = Math.floor(((performance.now() - from) / 1000) * SINGLE_PER_SECOND);
  for (; asked < due; asked += 1) void queue.add("issue", { at: performance.timeOrigin + performance.now() });
  await pause(1);
}
await pause(500);
process.send?.({ perSecond, drained, addToStart: waits.sum() }, () => process.exit(0));

async function pause(ms: number, until?: () => boolean): Promise<void> {
  if (until === undefined) return new Promise((resolve) => setTimeout(resolve, ms));
  const end = performance.now() + ms;
  while (performance.now() < end && !until()) await pause(5);
}
