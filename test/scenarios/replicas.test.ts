import { readFileSync } from "node:fs";
import { seededRandom, systemClock } from "@nest/kit";
import { type LocalCodeHost, startLocalCodeHost } from "@nest/local-codehost";
import type { contribute } from "@nest/protocol";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { aCrowd, booked, counted, finished } from "../harness/crowd.ts";
import { FolderHere, freePorts } from "../harness/folder-here.ts";
import { HubProcess, UNLIMITED } from "../harness/hub-process.ts";
import { NginxHere } from "../harness/nginx-here.ts";
import { plainSeed } from "../harness/plain-seed.ts";
import { RawRelay } from "../harness/raw-relay.ts";
import { judge } from "../harness/relay-history.ts";
import { RealPostgres } from "../real-postgres/real-postgres.ts";

// Several hubs on one PostgreSQL act as one hub: they share queue, leases, limits, contributors and what people see.

const TOKEN = "hub-token-of-the-replicas";
const REPOSITORIES = ["acme/one", "acme/two"];
/** More than a crowd works off while replicas are killed. */
const ISSUES_EACH = 400;
const CONFIG = "/api/config/governor/hub";
/** Another replica notices within its beats; machines under test are slow. */
const SOON = { timeout: 15_000, interval: 50 };

let postgres: RealPostgres | undefined;
let folder: FolderHere;
let codeHost: LocalCodeHost;
let databaseUrl = "";
let hubs: HubProcess[] = [];

beforeAll(async () => {
  postgres = await RealPostgres.startIfPossible({ durable: true });
});
afterAll(() => postgres?.[Symbol.asyncDispose]());
beforeEach(async ({ skip }) => {
  if (postgres === undefined) return skip("no PostgreSQL server could be started");
  databaseUrl = await postgres.database();
  folder = await FolderHere.make("replicas");
  codeHost = await startLocalCodeHost({
    dataDir: folder.in("codehost"),
    seed: plainSeed(TOKEN, REPOSITORIES, ISSUES_EACH),
    clock: systemClock(),
  });
});
afterEach(async () => {
  await Promise.all(hubs.map((hub) => hub[Symbol.asyncDispose]()));
  hubs = [];
  await codeHost.close();
  await folder[Symbol.asyncDispose]();
});

/** One more hub on the same database, with a data directory of its own. */
async function aReplica(
  options: { contribute?: object; clockScale?: number; port?: number; makesSecret?: boolean } = {},
): Promise<HubProcess> {
  const hub = await HubProcess.start({
    folder: folder.in(`hub-${hubs.length}`),
    apiUrl: codeHost.apiUrl,
    repos: REPOSITORIES,
    token: TOKEN,
    contribute: UNLIMITED,
    databaseUrl,
    ...options,
  });
  hubs.push(hub);
  return hub;
}

async function aRelay(hub: HubProcess, token: string): Promise<RawRelay> {
  return RawRelay.join(hub.socket, token);
}

const actionable = async (hub: HubProcess) => (await hub.status()).actionable_items;
const of = ({
  task_id,
  task_gen,
  repo,
  number,
}: {
  task_id: string;
  task_gen: number;
  repo: string;
  number: number;
}) => ({
  task_id,
  task_gen,
  repo,
  number,
});

test("replicas share the queue, leases, limits and contributors: a decision of one holds at the other at once", async () => {
  const one = await aReplica();
  await one.refresh();
  const two = await aReplica();
  await two.call("PUT", CONFIG, { tier_limits: { newcomer: { max_concurrent: 1, max_per_hour: 3, max_per_day: 0 } } });
  await expect.poll(() => actionable(two), SOON).toBe(2 * ISSUES_EACH);
  const [ada, bob] = [await one.register("ada"), await two.register("bob")];

  const first = await aRelay(one, ada.registration_token);
  const task = await first.ready();
  const second = await aRelay(two, bob.registration_token);
  const other = await second.ready();
  expect(other).not.toMatchObject({ repo: task.repo, number: task.number });
  second.send({ type: "task_accepted", ...of(other) });

  // One task at a time, over every socket of a contributor, wherever it is.
  const elsewhere = await RawRelay.join(two.socket, ada.registration_token, { session: "elsewhere" });
  expect((await elsewhere.refused()).reason).toBe("concurrency_limit");
  first.send({ type: "task_accepted", ...of(task) });
  first.send({ type: "task_complete", ...of(task), result: "completed", verdict: "idle" });
  await first.next("task_ack");
  for (const relay of [elsewhere, first]) {
    const more = await relay.ready();
    relay.send({ type: "task_accepted", ...of(more) });
    relay.send({ type: "task_complete", ...of(more), result: "completed", verdict: "idle" });
    await relay.next("task_ack");
  }
  expect((await elsewhere.refused()).reason).toBe("hourly_limit");

  await one.call("PUT", CONFIG, { contribute_suspended: true });
  expect((await second.refused()).reason).toBe("contribution_suspended");
  await two.call("PUT", CONFIG, { contribute_suspended: false });
  await expect.poll(() => actionable(one), SOON).toBe(await actionable(two));

  // Revoked at one replica: the socket at the other closes, the task is released.
  await one.call("POST", `/api/contributors/${bob.contributor_id}/revoke`);
  expect((await second.closed).code).toBe(1008);
  expect((await two.contributors()).find(({ github_username: name }) => name === "bob")?.trust_tier).toBe("revoked");
}, 60_000);

test("a repository paused at one replica is offered at none; a message and a pause are told to relays of every replica", async () => {
  const one = await aReplica();
  await one.refresh();
  const two = await aReplica();
  await expect.poll(() => actionable(two), SOON).toBe(2 * ISSUES_EACH);
  const ada = await one.register("ada");
  const relay = await aRelay(two, ada.registration_token);
  const scope = { kind: "repository", repo: "acme/one" };
  await one.call("PUT", "/api/contribute/pauses", { scope, note: "its CI is broken" });
  await expect.poll(() => actionable(two), SOON).toBe(ISSUES_EACH);
  expect((await relay.ready()).repo).toBe("acme/two");
  await one.call("POST", "/api/contributors/ada/message", { text: "is your disk full?" });
  expect((await relay.next("notice")).message).toMatch(/writes: is your disk full\?$/);
  await one.call("PUT", "/api/contribute/pauses", { scope: { kind: "everything" } });
  expect((await relay.next("notice")).message).toBe("an admin paused everybody; what is under way goes on");
  await two.call("POST", "/api/contribute/pauses/end", { scope });
  await expect.poll(() => actionable(one), SOON).toBe(2 * ISSUES_EACH - 1);

  // The end of a pause at one replica gives work to a relay that waits at another.
  const bob = await one.register("bob");
  const capabilities = { relay_capabilities: ["task_ack", "task_push"] };
  const waiting = await RawRelay.join(two.socket, bob.registration_token, { capabilities });
  expect((await waiting.refused()).reason).toBe("contribution_suspended");
  await one.call("POST", "/api/contribute/pauses/end", { scope: { kind: "everything" } });
  expect((await waiting.next("task_assign")).number).toBeGreaterThan(0);
}, 60_000);

test("every replica shows all relays and all activity", async () => {
  const one = await aReplica();
  const two = await aReplica();
  await one.refresh();
  const [ada, bob] = [await one.register("ada"), await one.register("bob")];
  const first = await aRelay(one, ada.registration_token);
  const second = await aRelay(two, bob.registration_token);
  await expect.poll(() => actionable(two), SOON).toBe(2 * ISSUES_EACH);
  const task = await second.ready();
  // More of them than one notification of the database can tell of.
  const crowd = await Promise.all(Array.from({ length: 25 }, (_, at) => one.register(`member-${at}`)));
  const members = await Promise.all(crowd.map(({ registration_token: token }) => aRelay(two, token)));
  await expect
    .poll(async () => (await one.call<contribute.FleetReply>("GET", "/api/contribute/fleet")).clankers.length, SOON)
    .toBe(27);
  await Promise.all(members.map((member) => member.drop()));
  for (const hub of [one, two]) {
    await expect
      .poll(async () => {
        const { clankers, work } = await hub.call<contribute.FleetReply>("GET", "/api/contribute/fleet");
        const names = clankers.map(({ github_username: name, current_task: at }) => `${name} ${at ?? "idle"}`).sort();
        return { names, work: work.map(({ task_id: id }) => id) };
      }, SOON)
      .toEqual({ names: ["ada idle", `bob ${task.task_id}`], work: [task.task_id] });
    expect((await hub.status()).active_contributors).toBe(2);
    expect((await hub.activity()).some(({ action, username }) => action === "picked up" && username === "bob")).toBe(
      true,
    );
  }
  await first.drop();
}, 60_000);

test("every replica uses the keys that the first one made, and keeps a copy in its data directory for backups", async () => {
  const [one, two] = [await aReplica({ makesSecret: true }), await aReplica({ makesSecret: true })];
  const keys = (file: string) => [0, 1].map((nth) => readFileSync(folder.in(`hub-${nth}`, "saas", file)));
  for (const file of ["hmac.key", "hub-secret.key"]) {
    const [ours, theirs] = keys(file);
    expect(theirs?.equals(ours ?? Buffer.alloc(0)), file).toBe(true);
  }
  const secret = keys("hub-secret.key")[0]?.toString().trim();
  for (const hub of [one, two]) {
    const beat = await fetch(`${hub.url}/api/heartbeat`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ nest_id: "hosted-acme-one-1234" }),
    });
    expect(beat.status).toBe(200);
  }
}, 60_000);

test("notifications that no replica sent are ignored and crash no hub", async () => {
  const [one] = [await aReplica(), await aReplica()];
  const stranger = new Client({ connectionString: databaseUrl });
  await stranger.connect();
  for (const junk of [
    "",
    "public",
    "public message",
    "public message {",
    'public message {"from":1}',
    "public stored x",
    "other batch",
  ])
    await stranger.query("select pg_notify('nest', $1)", [junk]);
  await stranger.end();
  await one.register("ada");
  expect((await one.contributors()).map(({ github_username: login }) => login)).toEqual(["ada"]);
}, 60_000);

test("a relay that comes back to another replica resumes its task there, once the socket that it left does not answer", async () => {
  const one = await aReplica();
  await one.refresh();
  const two = await aReplica();
  await expect.poll(() => actionable(two), SOON).toBe(2 * ISSUES_EACH);
  const ada = await one.register("ada");
  const old = await aRelay(one, ada.registration_token);
  const task = await old.ready();
  old.send({ type: "task_accepted", ...of(task) });
  await old.pending();
  const claim = (relay: RawRelay) => {
    relay.send({ type: "task_accepted", ...of(task) });
    relay.send({ type: "task_progress", ...of(task), kind: "issue", title: "x", status: "working" });
  };
  // While it answers, it is another machine's.
  const sibling = await aRelay(two, ada.registration_token);
  claim(sibling);
  expect(await sibling.next("task_revoke", 10_000)).toMatchObject({ reason: "no active lease for this task" });
  expect(await old.pending("task_revoke")).toEqual([]);
  old.socket.pause();
  const back = await aRelay(two, ada.registration_token);
  claim(back);
  back.send({ type: "task_complete", ...of(task), result: "completed", verdict: "idle" });
  expect(await back.next("task_ack", 15_000)).toMatchObject({ task_id: task.task_id });
  expect(await back.pending("task_revoke")).toEqual([]);
  old.socket.resume();
  expect((await old.closed).code).toBe(1001);
  // The other replica hears of it a moment later.
  const completed = async () => (await one.contributors())[0]?.total_tasks_completed;
  await expect.poll(completed, SOON).toBe(1);
}, 60_000);

test("one replica reads the code host; when it is killed, another does within 15 seconds", async () => {
  const one = await aReplica();
  await one.refresh();
  const two = await aReplica();
  await expect.poll(() => actionable(two), SOON).toBe(2 * ISSUES_EACH);
  // Asked of either, the one that reads does it, and both know it.
  await two.refresh();
  await one.kill();
  const killedAt = Date.now();
  await expect
    .poll(async () => (await two.call<{ failed: string[] }>("POST", "/api/contribute/queue/refresh")).failed, SOON)
    .toEqual([]);
  expect(Date.now() - killedAt).toBeLessThan(15_000);
}, 60_000);

test("a replica that hangs is evicted: the others go on, and its tasks are kept for their relays", async () => {
  const one = await aReplica();
  await one.refresh();
  const two = await aReplica();
  await expect.poll(() => actionable(two), SOON).toBe(2 * ISSUES_EACH);
  const [ada, bob, carol] = [await one.register("ada"), await one.register("bob"), await one.register("carol")];
  const stuck = await aRelay(one, ada.registration_token);
  const task = await stuck.ready();
  const patient = await aRelay(one, carol.registration_token);
  const kept = await patient.ready();
  stuck.send({ type: "task_accepted", ...of(task) });
  patient.send({ type: "task_accepted", ...of(kept) });
  await Promise.all([stuck.pending(), patient.pending()]);
  one.process.signal("SIGSTOP");
  try {
    const other = await aRelay(two, bob.registration_token);
    expect(await other.ready()).not.toMatchObject({ number: task.number, repo: task.repo });
    const work = async () => (await two.call<contribute.FleetReply>("GET", "/api/contribute/fleet")).work;
    await expect
      .poll(async () => (await work()).find(({ task_id: id }) => id === task.task_id)?.status, {
        ...SOON,
        timeout: 25_000,
      })
      .toBe("away");
    await expect
      .poll(async () => (await two.call<{ failed: string[] }>("POST", "/api/contribute/queue/refresh")).failed, SOON)
      .toEqual([]);
    const back = await aRelay(two, ada.registration_token);
    back.send({ type: "task_accepted", ...of(task) });
    back.send({ type: "task_complete", ...of(task), result: "completed", verdict: "idle" });
    expect(await back.next("task_ack")).toMatchObject({ task_id: task.task_id });
  } finally {
    // The first thing it hears says no more than how far a task is: that is not an exact claim.
    patient.send({ type: "task_progress", task_id: kept.task_id, task_gen: kept.task_gen, status: "working" });
    one.process.signal("SIGCONT");
  }
  // Who stayed with it is sent round once and goes on.
  expect((await patient.closed).code).toBe(1012);
  expect(patient.unasked("task_revoke")).toEqual([]);
  const again = await aRelay(one, carol.registration_token);
  again.send({ type: "task_accepted", ...of(kept) });
  again.send({ type: "task_progress", ...of(kept), kind: "issue", title: "x", status: "working" });
  again.send({ type: "task_complete", ...of(kept), result: "completed", verdict: "idle" });
  expect(await again.next("task_ack")).toMatchObject({ task_id: kept.task_id });
  expect(await again.pending("task_revoke")).toEqual([]);
  // It wakes up as one of several again, and knows what happened.
  await expect.poll(() => actionable(one), SOON).toBe(await actionable(two));
}, 90_000);

test("PostgreSQL restarted mid-transaction: nothing acknowledged is lost, and the hubs go on by themselves", async () => {
  const one = await aReplica();
  await one.refresh();
  const crowd = await aCrowd(one, 6, () => one.socket);
  const { sleep } = systemClock();
  try {
    for (let nth = 0; nth < 3; nth += 1) {
      await sleep(1500);
      await postgres?.restart();
    }
    await sleep(2000);
    await finished(crowd);
  } finally {
    for (const relay of crowd.relays) relay.stop();
  }
  const judgement = judge(crowd.relays.map(({ history }) => history));
  expect(judgement.broken).toEqual([]);
  // A completion whose answer was lost with the connection is sent again: counted when it is acknowledged, and never twice.
  await expect.poll(() => counted(one, crowd), SOON).toEqual(judgement.completed);
}, 120_000);

test.skipIf(!NginxHere.isHere)(
  "two replicas behind nginx, one killed again and again under load: nothing is lost or doubled",
  async () => {
    // A lease lasts three minutes: longer than any relay is kept away, however slow the machine.
    const options = { clockScale: 10 };
    const ports = await freePorts(2);
    const pair: HubProcess[] = [];
    for (const port of ports) pair.push(await aReplica({ ...options, port }));
    const [one, two] = pair as [HubProcess, HubProcess];
    await one.refresh();
    await using nginx = await NginxHere.start(
      folder.in("nginx"),
      pair.map(({ url }) => url),
    );
    const crowd = await aCrowd(one, 20, () => nginx.socket);
    try {
      for (let nth = 0; nth < 8; nth += 1) {
        await systemClock().sleep(1500 + seededRandom(nth).fraction() * 1000);
        const victim = nth % 2 === 0 ? one : two;
        await victim.kill();
        victim.startAgain();
        await victim.ready();
      }
      await finished(crowd);
    } finally {
      for (const relay of crowd.relays) relay.stop();
    }
    const judgement = judge(crowd.relays.map(({ history }) => history));
    expect(judgement.broken).toEqual([]);
    expect(judgement.assignments).toBeGreaterThan(50);
    expect(judgement.resumes).toBeGreaterThan(0);
    for (const [at, { contributor_id: id }] of crowd.members.entries()) {
      const { booked: is, expected } = await booked(one, id, crowd.relays[at]?.history ?? []);
      expect(is).toEqual(expected);
    }
    await expect.poll(() => counted(one, crowd), SOON).toEqual(judgement.completed);
  },
  180_000,
);
