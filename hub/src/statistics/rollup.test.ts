import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite, type Reader } from "@nest/dispatch";
import { silentLog, VirtualClock } from "@nest/kit";
import { expect, test } from "vitest";
import { HOUR_MS } from "./counting.ts";
import { Rollup } from "./rollup.ts";

const DAY_MS = 24 * HOUR_MS;
/** A day's first hour, so that hours and days of a test are whole. */
const START = 20_000 * DAY_MS;

/** A database with tasks and nothing else of a hub. */
async function aDatabase() {
  const folder = await mkdtemp(join(tmpdir(), "nest-rollup-"));
  const database = openSqlite(join(folder, "hub.sqlite"));
  const { sqlite, reader } = database;
  // No power is cut here: a crash is one of the process.
  sqlite.exec("pragma foreign_keys = off; pragma synchronous = off");
  let gen = 0;
  return {
    reader,
    task(
      at: number,
      task: { endedAt?: number; outcome?: string; repo?: string; contributor?: string; kind?: string } = {},
    ) {
      gen += 1;
      const { endedAt = at, outcome = "completed", repo = "Acme/One", contributor = "ada", kind = null } = task;
      sqlite
        .prepare(`insert into tasks (gen, id, contributor_id, grant_number, identity, repo, number, item_key, title, url,
            item_updated_at, assigned_at, expires_at, ended_at, outcome, failure_kind, backend, waited_ms)
          values (?, 't' || ?1, ?, 1, '', ?, 1, 'k' || ?1, '', '', 0, ?, 0, ?, ?, ?, 'claude', 15)`)
        .run(gen, contributor, repo, at, endedAt, outcome, kind);
      return gen;
    },
    verify: (task: number) =>
      sqlite.prepare("insert into counted_pull_requests (url, task_gen) values (?, ?)").run(`p${task}`, task),
    async [Symbol.asyncDispose]() {
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A database of a process that is gone after so many statements. */
function dyingAfter(survives: number, database: Reader) {
  let left = survives;
  const dying = {
    hasDied: false,
    reader: {
      async all(sql: string, ...values: readonly (string | number | null)[]) {
        if (left === 0) {
          dying.hasDied = true;
          throw new Error("the process is gone");
        }
        left -= 1;
        return database.all(sql, ...values);
      },
    },
  };
  return dying;
}

function rollupOf(database: Reader, clock: VirtualClock): Rollup {
  return new Rollup({ database, isMine: () => true, isReadElsewhere: false, clock, log: silentLog() });
}

async function all(reader: Reader, table: "hourly" | "daily") {
  const rows = await reader.all(
    `select level, at, repo, contributor_id, assigned, completed, verified, failed_environment, wait_1
     from task_counts_${table} order by level, at, repo, contributor_id`,
  );
  return rows.map((row) => ({ ...row }));
}

const sum = async (reader: Reader, column: string, table = "hourly") =>
  Number((await reader.all(`select sum(${column}) as n from task_counts_${table} where level = 0`))[0]?.n ?? 0);

test("a task is counted once at each level, under its repository's name in lower case", async () => {
  await using database = await aDatabase();
  const clock = new VirtualClock(START + 30 * 60_000);
  database.task(START + 1000);
  database.task(START + 2000, { outcome: "failed", kind: "environment", contributor: "bob" });
  await rollupOf(database.reader, clock).run();
  const hour = START / HOUR_MS;
  expect(await all(database.reader, "hourly")).toEqual([
    {
      level: 0,
      at: hour,
      repo: "",
      contributor_id: "",
      assigned: 2,
      completed: 1,
      verified: null,
      failed_environment: 1,
      wait_1: 2,
    },
    {
      level: 1,
      at: hour,
      repo: "acme/one",
      contributor_id: "",
      assigned: 2,
      completed: 1,
      verified: null,
      failed_environment: 1,
      wait_1: 2,
    },
    {
      level: 2,
      at: hour,
      repo: "",
      contributor_id: "ada",
      assigned: 1,
      completed: 1,
      verified: null,
      failed_environment: null,
      wait_1: 1,
    },
    {
      level: 2,
      at: hour,
      repo: "",
      contributor_id: "bob",
      assigned: 1,
      completed: null,
      verified: null,
      failed_environment: 1,
      wait_1: 1,
    },
    {
      level: 3,
      at: hour,
      repo: "acme/one",
      contributor_id: "ada",
      assigned: 1,
      completed: 1,
      verified: null,
      failed_environment: null,
      wait_1: 1,
    },
    {
      level: 3,
      at: hour,
      repo: "acme/one",
      contributor_id: "bob",
      assigned: 1,
      completed: null,
      verified: null,
      failed_environment: 1,
      wait_1: 1,
    },
  ]);
});

test("a crash after any statement loses nothing and counts nothing twice", async () => {
  for (let survives = 0; ; survives += 1) {
    await using database = await aDatabase();
    const clock = new VirtualClock(START + DAY_MS + 3 * HOUR_MS);
    const tasks = [20, 21, 24, 25, 26].map((hour) => database.task(START + hour * HOUR_MS + 1000));
    const dying = dyingAfter(survives, database.reader);
    await rollupOf(dying.reader, clock).run();
    database.verify(tasks[1] ?? 0);
    await rollupOf(database.reader, clock).run();
    expect([await sum(database.reader, "assigned"), await sum(database.reader, "verified")]).toEqual([5, 1]);
    expect(await sum(database.reader, "assigned", "daily")).toBe(2);
    expect(await sum(database.reader, "verified", "daily")).toBe(1);
    if (!dying.hasDied) return;
  }
});

test("a crash while a late verification is counted forgets nothing of it", async () => {
  for (let survives = 0; ; survives += 1) {
    await using database = await aDatabase();
    const clock = new VirtualClock(START + DAY_MS + 3 * HOUR_MS);
    const task = database.task(START + 20 * HOUR_MS);
    await rollupOf(database.reader, clock).run();
    database.verify(task);
    const dying = dyingAfter(survives, database.reader);
    await rollupOf(dying.reader, clock).run();
    await rollupOf(database.reader, clock).run();
    const counts = [await sum(database.reader, "verified"), await sum(database.reader, "verified", "daily")];
    expect(counts).toEqual([1, 1]);
    if (!dying.hasDied) return;
  }
});

test("a pull request that is verified days later is counted in the hour and the day of its task", async () => {
  await using database = await aDatabase();
  const clock = new VirtualClock(START + 3 * DAY_MS + 2 * HOUR_MS);
  const task = database.task(START + 5 * HOUR_MS);
  const rollup = rollupOf(database.reader, clock);
  await rollup.run();
  expect(await sum(database.reader, "verified", "daily")).toBe(0);
  database.verify(task);
  await rollup.run();
  expect(await sum(database.reader, "verified", "daily")).toBe(1);
  const [row] = await database.reader.all("select at from task_counts_hourly where level = 0 and verified = 1");
  expect(Number(row?.at)).toBe(START / HOUR_MS + 5);
});

test("hours are pruned after three months and days after two years, and a late verification spoils neither", async () => {
  await using database = await aDatabase();
  const clock = new VirtualClock(START + 10 * DAY_MS);
  const task = database.task(START + 1000);
  database.task(START + 7 * HOUR_MS);
  const rollup = rollupOf(database.reader, clock);
  await rollup.run();
  await clock.jump(100 * DAY_MS);
  await rollup.run();
  expect(await all(database.reader, "hourly")).toEqual([]);
  database.verify(task);
  await rollup.run();
  expect([await sum(database.reader, "assigned", "daily"), await sum(database.reader, "verified", "daily")]).toEqual([
    2, 1,
  ]);
  await clock.jump(800 * DAY_MS);
  await rollup.run();
  expect(await all(database.reader, "daily")).toEqual([]);
});

test("the hour that has not ended is counted when somebody asks, and every minute only where others read it", async () => {
  for (const isReadElsewhere of [false, true]) {
    await using database = await aDatabase();
    const clock = new VirtualClock(START + 2 * HOUR_MS + 20 * 60_000);
    database.task(START + HOUR_MS + 1000);
    const now = database.task(START + 2 * HOUR_MS + 1000);
    const log = silentLog();
    const rollup = new Rollup({ database: database.reader, isMine: () => true, isReadElsewhere, clock, log });
    rollup.start();
    await expect.poll(() => sum(database.reader, "assigned")).toBe(isReadElsewhere ? 2 : 1);
    expect(await rollup.upToDate(5000)).toBe(true);
    expect(await sum(database.reader, "assigned")).toBe(2);
    // What was counted early is counted whole once the hour has ended.
    database.verify(now);
    database.task(START + 2 * HOUR_MS + 50 * 60_000);
    await clock.jump(46 * 60_000);
    await expect
      .poll(async () => {
        await clock.advance(60_000);
        return [await sum(database.reader, "assigned"), await sum(database.reader, "verified")];
      })
      .toEqual([3, 1]);
    await rollup.stop();
  }
});

test("a page waits a second for the newest tasks and no longer, while the past is being counted", async () => {
  await using database = await aDatabase();
  const clock = new VirtualClock(START + DAY_MS);
  database.task(START);
  let answer = () => {};
  const slow: Reader = {
    async all(sql, ...values) {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return database.reader.all(sql, ...values);
    },
  };
  const rollup = rollupOf(slow, clock);
  let isShown = false;
  const shown = rollup.upToDate(5000).then((isCounted) => {
    expect(isCounted).toBe(false);
    isShown = true;
  });
  await clock.advance(999);
  expect(isShown).toBe(false);
  await clock.advance(1);
  await shown;
  const stopped = rollup.stop();
  for (let turn = 0; turn < 200; turn += 1) {
    answer();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await stopped;
});

test("while the past is counted, everybody else has a turn after each statement, and no statement looks through a whole table", async () => {
  await using database = await aDatabase();
  const clock = new VirtualClock(START + 3 * DAY_MS + 2 * HOUR_MS);
  for (let nth = 0; nth < 400; nth += 1) {
    const task = database.task(START + nth * 9 * 60_000, { repo: `acme/r${nth % 20}`, contributor: `c${nth % 30}` });
    if (nth % 3 === 0) database.verify(task);
  }
  const statements = new Map<string, number>();
  let inThisTurn = 0;
  let most = 0;
  const watched: Reader = {
    all(sql, ...values) {
      if (inThisTurn === 0) setImmediate(() => (inThisTurn = 0));
      inThisTurn += 1;
      most = Math.max(most, inThisTurn);
      statements.set(sql, values.length);
      return database.reader.all(sql, ...values);
    },
  };
  await rollupOf(watched, clock).run();
  expect(await sum(database.reader, "assigned", "daily")).toBe(400);
  expect(most).toBe(1);
  for (const [sql, count] of statements) {
    const plan = await database.reader.all(`explain query plan ${sql}`, ...Array.from({ length: count }, () => null));
    const scans = plan.map(({ detail }) => String(detail)).filter((step) => /^SCAN (?!\d+-ROW VALUES)/.test(step));
    expect([sql, scans]).toEqual([sql, []]);
  }
});
