import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { runSeed, stepsOf } from "./run.ts";
import { World } from "./world.ts";

/** Steps of the whole run; `NEST_SIMULATION_STEPS` asks for more. */
const STEPS = Number(process.env.NEST_SIMULATION_STEPS ?? 10_000_000);
const STEPS_A_SEED = 5000;
const FIRST_SEED = Number(process.env.NEST_SIMULATION_SEED ?? 1);

test(`the hub keeps its promises over ${STEPS} random steps of relays on a faulty network, with crashes and clock jumps`, {
  timeout: 3_600_000,
}, async () => {
  const workers = Math.min(availableParallelism(), 8);
  const seeds = Math.ceil(STEPS / STEPS_A_SEED / workers);
  const results = await Promise.all(
    Array.from({ length: workers }, (_, at) => inWorker(FIRST_SEED + at * seeds, seeds)),
  );
  const failure = results.find((result) => result.failure !== undefined);
  const told =
    failure === undefined ? "" : `seed ${failure.seed} (NEST_SIMULATION_SEED=${failure.seed}): ${failure.failure}`;
  expect(told).toBe("");
  expect(results.reduce((sum, { steps }) => sum + steps, 0)).toBeGreaterThanOrEqual(STEPS);
});

test(`two replicas keep the same promises over ${STEPS / 5} random steps, with answers of the database that are lost`, {
  timeout: 3_600_000,
}, () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + STEPS / 5 / STEPS_A_SEED; seed += 1) {
    const { failure } = runSeed(seed, STEPS_A_SEED, { hubs: 2 });
    expect(failure === undefined ? "" : `seed ${seed}: ${failure.promise}: ${JSON.stringify(failure.history)}`).toBe(
      "",
    );
  }
});

test("failure_kind changes no decision: the same history with another kind leads to the same decisions", () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const traces = ["task", "environment", "unspecified"].map(
      (failureKind) => runSeed(seed, 3000, { failureKind }).trace,
    );
    expect(new Set(traces).size).toBe(1);
  }
});

test("a seed decides everything: two runs of one seed are the same", () => {
  expect(runSeed(7, 3000).trace).toBe(runSeed(7, 3000).trace);
});

test("crashes, hangs, resumes, quarantines and limits all happen in the simulation", () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= 30; seed += 1) {
    const world = new World({ hubs: seed % 2 === 0 ? 2 : 1 });
    for (const step of stepsOf(seed, STEPS_A_SEED)) void world.step(step);
    for (const event of world.events) seen.add(event);
  }
  expect([...seen].sort()).toEqual(
    expect.arrayContaining([
      "assigned",
      "completed",
      "crashed",
      "expired",
      "failed",
      "given_back",
      "hourly_limit",
      "no_matching_work",
      "quarantined",
      "recalled",
      "requeued",
      "resumed",
      "revoked",
      "suspended",
    ]),
  );
});

interface WorkerResult {
  readonly seed: number;
  readonly steps: number;
  readonly failure: string | undefined;
}

function inWorker(firstSeed: number, seeds: number): Promise<WorkerResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), {
      workerData: { firstSeed, seeds, steps: STEPS_A_SEED },
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}
