import { openPostgres, Replicas } from "@nest/dispatch";
import { Secret, silentLog, systemClock } from "@nest/kit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RealPostgres } from "../real-postgres/real-postgres.ts";

// How replicas of a hub know which of them are alive, on a real PostgreSQL.

let postgres: RealPostgres | undefined;
beforeAll(async () => {
  postgres = await RealPostgres.startIfPossible();
});
afterAll(() => postgres?.[Symbol.asyncDispose]());

/** One real replica on a new database; the other replicas are only rows. Undefined without a server. */
async function aMember(onGone: (replica: string) => Promise<void>, clock = systemClock()) {
  if (postgres === undefined) return undefined;
  const database = await openPostgres(new Secret(await postgres.database()));
  const replicas = new Replicas({
    database,
    replica: "00000001",
    clock,
    log: silentLog(),
    onGone,
    onLeader: async () => {},
    onNotLeader: () => {},
  });
  return {
    replicas,
    async unseenFor(id: string, seconds: number) {
      const unseen = "insert into replica_members values ($1, 0, now() - make_interval(secs => $2))";
      await database.pool.query(unseen, [id, seconds]);
    },
    /** Who is known, and when each was seen. */
    async known(): Promise<Map<string, string>> {
      const rows = await database.reader.all("select id, seen_at::text as at from replica_members order by id");
      return new Map(rows.map(({ id, at }) => [String(id), String(at)]));
    },
    async [Symbol.asyncDispose]() {
      await replicas.close();
      await database.close();
    },
  };
}

test("a dead replica's row is deleted only after the consequences are durable; until then they are tried again", async ({
  skip,
}) => {
  const told: string[] = [];
  await using member = await aMember(async (replica) => {
    told.push(replica);
    if (told.length === 1) throw new Error("the database went away in the middle of it");
  });
  if (member === undefined) return skip("no PostgreSQL server could be started");
  await member.unseenFor("00000002", 11);
  await member.unseenFor("00000003", 5);
  await member.replicas.join();
  await member.replicas.start();
  expect([...(await member.known()).keys()]).toEqual(["00000001", "00000002", "00000003"]);
  expect(member.replicas.isLeader).toBe(true);
  await expect.poll(async () => [...(await member.known()).keys()], { timeout: 10_000 }).not.toContain("00000002");
  expect(told.slice(0, 2)).toEqual(["00000002", "00000002"]);
});

test("a replica that starts slowly sends heartbeats meanwhile, and declares no other replica dead", async ({
  skip,
}) => {
  const told: string[] = [];
  await using member = await aMember(async (replica) => void told.push(replica));
  if (member === undefined) return skip("no PostgreSQL server could be started");
  await member.unseenFor("00000002", 60);
  await member.replicas.join();
  const seen = async () => (await member.known()).get("00000001");
  const first = await seen();
  await expect.poll(seen, { timeout: 10_000 }).not.toBe(first);
  expect([told, member.replicas.isLeader]).toEqual([[], false]);
  await member.replicas.start();
  expect([told, member.replicas.isLeader]).toEqual([["00000002"], true]);
});

test("a replica that hung declares no other dead until the others have had time for a heartbeat", async ({ skip }) => {
  const told: string[] = [];
  const clock = systemClock();
  let pausedMs = 0;
  const paused = { ...clock, now: () => clock.now() + pausedMs };
  await using member = await aMember(async (replica) => void told.push(replica), paused);
  if (member === undefined) return skip("no PostgreSQL server could be started");
  await member.unseenFor("00000002", 15);
  await member.replicas.join();
  pausedMs = 15_000;
  await member.replicas.start();
  expect(told).toEqual([]);
  await expect.poll(() => told, { timeout: 10_000 }).toEqual(["00000002"]);
});
