import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tokenDigest } from "@nest/auth";
import { CodeHostMemory, type Issue, type Scan } from "@nest/codehost";
import { LOG_BYTES, openPostgres, openSqlite } from "@nest/dispatch";
import { buildHub, readHubConfig } from "@nest/hub";
import { createLog, systemClock, systemRandom } from "@nest/kit";
import type { HubSeed } from "./hub-peer.ts";

/**
 * The hub as it ships, with every policy check and its database on disk; only the code host is in memory, for a benchmark has
 * no platform to read hundreds of thousands of issues from. Contributors are written into the database beforehand.
 */
const [folder = "", seedFile = ""] = process.argv.slice(2);
const seed = JSON.parse(readFileSync(seedFile, "utf8")) as HubSeed;
const REPOSITORIES = Array.from({ length: 10 }, (_, index) => `acme/part-${index}`);
/** Limits are checked at every assignment and never reached: nothing is switched off. */
const NEVER_REACHED = 1_000_000;
const ISSUES_A_TURN = 500;
const REBUILD_AGAIN_MS = 2000;

const configFile = join(folder, "nest.yaml");
const limits = { max_per_hour: NEVER_REACHED, max_per_day: NEVER_REACHED, max_concurrent: 5 };
const contribute = { tier_limits: { trusted: limits } };
const settings = {
  project: { org: "acme", repos: REPOSITORIES },
  github: { token: "bench" },
  governor: { eval_interval_s: 3600, contribute },
};
await writeFile(configFile, JSON.stringify(settings));

const clock = systemClock();
/** Issues by repository, in place of what the code host has in memory: answering costs it nothing that a hub would feel. */
const renewed = new Map<string, readonly Issue[]>();

class BenchCodeHost extends CodeHostMemory {
  override async openIssues(repo: string): Promise<Scan<Issue>> {
    const items = renewed.get(repo);
    return items === undefined ? super.openIssues(repo) : { items, unchanged: false };
  }
}

const codeHost = new BenchCodeHost({ now: () => clock.now() });
for (let at = 0; at < seed.issues; at += 1) {
  const repo = REPOSITORIES[at % REPOSITORIES.length] ?? "";
  const number = Math.floor(at / REPOSITORIES.length) + 1;
  codeHost.setIssue({ repo, number, title: `The page shows the wrong total (${number})`, labels: ["bug"] });
}
const config = await readHubConfig({ ...process.env, NEST_DATA_DIR: folder, NEST_CONFIG: configFile });
const database =
  config.databaseUrl === undefined
    ? openSqlite(join(folder, "hub.sqlite"), LOG_BYTES)
    : await openPostgres(config.databaseUrl);
if (database.kind === "sqlite") seedContributors(database);
else await shareContributors(database);
const log = createLog({ program: "nest-hub", level: "error" });
const hub = await buildHub({ config, database, codeHost, clock, random: systemRandom(), log });
const port = await listen(config.port);
await hub.start();
// The first start waits until the whole queue was read, which is not what is measured; a restart is measured from the kill.
if ((await database.reader.all("select 1 from tasks limit 1")).length === 0) await hub.monitor.refresh();
process.stdout.write(`nest-hub listening on http://127.0.0.1:${port}\n`);
if (seed.rebuilds === true) void rebuildForEver();

function seedContributors({ sqlite }: ReturnType<typeof openSqlite>): void {
  if (sqlite.prepare("select 1 from contributors limit 1").get() !== undefined) return;
  const add = sqlite.prepare(`
    insert into contributors (id, login, login_key, token_digest, tier, registered_at, grants, completed, verified, failed,
      promotion_base, streak, paused_until)
    values (?, ?, ?, ?, 'trusted', ?, 0, 0, 0, 0, 0, 0, 0)`);
  sqlite.exec("begin");
  seed.tokens.forEach((token, index) => {
    const login = `bench-${index}`;
    add.run(`c-${index}`, login, login, tokenDigest(token), clock.now());
  });
  sqlite.exec("commit");
}

/** The first of several replicas writes them, the others find them there. */
async function shareContributors({ pool }: Awaited<ReturnType<typeof openPostgres>>): Promise<void> {
  await pool.query(
    `insert into contributors select 'c-' || nth, 'bench-' || nth, 'bench-' || nth, digest, 'trusted', $2, null,
       0, 0, 0, 0, 0, 0, 0
     from (select nth - 1 as nth, digest from unnest($1::text[]) with ordinality as tokens (digest, nth)) as seeded
     on conflict do nothing`,
    [seed.tokens.map(tokenDigest), clock.now()],
  );
}

/** Every issue is another one each time it is read: the whole queue is judged and placed anew, again and again. */
async function rebuildForEver(): Promise<never> {
  for (;;) {
    for (const repo of REPOSITORIES) {
      const issues: Issue[] = [];
      for (const issue of (await codeHost.openIssues(repo)).items) {
        issues.push({ ...issue, updatedAt: clock.now() });
        // What the bench does itself is not to be the hub's delay.
        if (issues.length % ISSUES_A_TURN === 0) await clock.sleep(1);
      }
      renewed.set(repo, issues);
    }
    await hub.monitor.refresh();
    await clock.sleep(REBUILD_AGAIN_MS);
  }
}

/** As the hub's own start: after a kill the old sockets may still hold the port for a moment. */
async function listen(wanted: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await hub.http.listen({ host: "127.0.0.1", port: wanted, backlog: 4096 });
      return (hub.http.server.address() as AddressInfo).port;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== "EADDRINUSE" || attempt === 100) throw thrown;
      await clock.sleep(50);
    }
  }
}
