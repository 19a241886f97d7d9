import { parentPort, workerData } from "node:worker_threads";
import { runSeed } from "./run.ts";

const { firstSeed, seeds, steps } = workerData as { firstSeed: number; seeds: number; steps: number };

let done = 0;
let failure: string | undefined;
let seed = firstSeed;
for (; seed < firstSeed + seeds && failure === undefined; seed += 1) {
  const result = runSeed(seed, steps);
  done += result.steps;
  if (result.failure !== undefined) {
    failure = `${result.failure.promise}\nshortest history (${result.failure.history.length} steps): ${JSON.stringify(result.failure.history)}`;
  }
}
parentPort?.postMessage({ seed: seed - 1, steps: done, failure });
