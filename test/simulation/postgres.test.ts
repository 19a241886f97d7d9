import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RealPostgres } from "../real-postgres/real-postgres.ts";
import { PostgresStorage } from "./postgres-storage.ts";
import { runSeed, stepsOf } from "./run.ts";
import { World } from "./world.ts";

const STEPS = 1500;

let postgres: RealPostgres | undefined;
beforeAll(async () => {
  postgres = await RealPostgres.startIfPossible();
});
afterAll(() => postgres?.[Symbol.asyncDispose]());

describe("replicas on a real PostgreSQL", () => {
  test.for([1, 2, 3, 4])(
    "keep their promises over the random history of seed %i, and decide as replicas in memory do",
    { timeout: 120_000 },
    async (seed, { skip }) => {
      if (postgres === undefined) return skip("no PostgreSQL server could be started");
      await using storage = await PostgresStorage.open(await postgres.database());
      const world = new World({ hubs: 2, storage: storage.of.bind(storage) });
      await world.ready;
      for (const step of stepsOf(seed, STEPS)) await world.step(step);
      await world.settle();
      expect(world.trace).toBe(runSeed(seed, STEPS, { hubs: 2 }).trace);
      expect(world.events.has("crashed")).toBe(true);

      await isAsJudged(storage, world);
    },
  );

  test("that miss each other's batches read everything anew, and keep their promises", { timeout: 120_000 }, async ({
    skip,
  }) => {
    if (postgres === undefined) return skip("no PostgreSQL server could be started");
    await using storage = await PostgresStorage.open(await postgres.database());
    storage.losesBatches = true;
    const world = new World({ hubs: 2, storage: storage.of.bind(storage) });
    await world.ready;
    for (const step of stepsOf(5, STEPS)) await world.step(step);
    await world.settle();
    await isAsJudged(storage, world);
  });
});

/** Checks that the database holds what the simulated disk was told. */
async function isAsJudged(storage: PostgresStorage, { disk }: World): Promise<void> {
  const live = await storage.rows("select id, gen, expires_at from tasks where ended_at is null");
  expect(live.map(({ id }) => String(id)).sort()).toEqual([...disk.leases.keys()].sort());
  const counts = await storage.rows("select id, grants, completed, verified, failed, tier from contributors");
  for (const { id, tier, ...numbers } of counts) {
    const { grants, completed, verified, failed, ...known } = disk.contributors.get(String(id)) ?? {};
    expect({ tier, ...numbers }).toEqual({
      tier: "tier" in known ? known.tier : undefined,
      ...{
        grants: String(grants),
        completed: String(completed),
        verified: String(verified),
        failed: String(failed),
      },
    });
  }
  const [{ gens } = {}] = await storage.rows("select value as gens from counters where name = 'gen'");
  expect(Number(gens)).toBe(disk.gen);
}
