import { Logger, makeWorkerUtils, run } from "graphile-worker";

/** graphile-worker in a process of its own: so many workers of one job at a time, with jobs that were added beforehand. */
const [connectionString = "", workers = "8", seconds = "5"] = process.argv.slice(2);
const ENOUGH_PER_SECOND = 5000;
const logger = new Logger(() => () => {});

const utils = await makeWorkerUtils({ connectionString, logger });
await utils.migrate();
const preload = Math.ceil(ENOUGH_PER_SECOND * Number(seconds));
for (let added = 0; added < preload; added += 5000) {
  const jobs = Array.from({ length: 5000 }, (_, at) => ({ identifier: "issue", payload: { number: added + at } }));
  await utils.addJobs(jobs);
}
await utils.release();

let done = 0;
const runner = await run({
  connectionString,
  concurrency: Number(workers),
  noHandleSignals: true,
  logger,
  taskList: {
    issue: async () => {
      done += 1;
    },
  },
});
await new Promise((resolve) => setTimeout(resolve, 1000));
const before = done;
const began = performance.now();
while (performance.now() - began < Number(seconds) * 1000 && done < preload)
  await new Promise((resolve) => setTimeout(resolve, 5));
const perSecond = (done - before) / ((performance.now() - began) / 1000);
process.send?.({ perSecond, drained: done >= preload }, () => {
  void runner.stop().finally(() => process.exit(0));
});
