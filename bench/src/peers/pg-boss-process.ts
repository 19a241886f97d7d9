import { PgBoss } from "pg-boss";

/** pg-boss in a process of its own: so many loops that fetch one job and complete it, with jobs that were added beforehand. */
const [connectionString = "", workers = "8", seconds = "5"] = process.argv.slice(2);
const ENOUGH_PER_SECOND = 1500;
const QUEUE = "issue";

const boss = new PgBoss({ connectionString, supervise: false, schedule: false, max: Number(workers) + 2 });
boss.on("error", () => {});
await boss.start();
await boss.createQueue(QUEUE);
const preload = Math.ceil(ENOUGH_PER_SECOND * Number(seconds));
for (let added = 0; added < preload; added += 2500)
  await boss.insert(
    QUEUE,
    Array.from({ length: 2500 }, (_, at) => ({ data: { number: added + at } })),
  );

let done = 0;
let working = true;
async function work(): Promise<void> {
  while (working) {
    const [job] = await boss.fetch(QUEUE);
    if (job === undefined) return;
    await boss.complete(QUEUE, job.id);
    done += 1;
  }
}
const crew = Array.from({ length: Number(workers) }, work);
await new Promise((resolve) => setTimeout(resolve, 1000));
const before = done;
const began = performance.now();
while (performance.now() - began < Number(seconds) * 1000 && done < preload)
  await new Promise((resolve) => setTimeout(resolve, 5));
const perSecond = (done - before) / ((performance.now() - began) / 1000);
working = false;
await Promise.all(crew);
process.send?.({ perSecond, drained: done >= preload }, () => process.exit(0));
