import { NestError } from "@nest/kit";
import { expect, test } from "vitest";
import { TestHub } from "../harness/hub.ts";

const ORDER = "/api/contribute/queue/order";
const HOLD = "/api/contribute/queue/hold";

interface QueueReply {
  readonly queue: { key: string; held?: boolean; ordered?: boolean; withheld?: { reason: string; because: string } }[];
  readonly hidden: number;
  readonly withheld_because: Record<string, string>;
}

async function queueOf(hub: TestHub, as: "admin" | "anyone" = "anyone"): Promise<QueueReply> {
  const path = "/api/contribute/queue?with=withheld";
  return (as === "admin" ? await hub.admin("GET", path) : await hub.call("GET", path)).body as QueueReply;
}

test("an operator's order comes first, over all repositories, and what is not on offer is passed over", async () => {
  await using hub = await TestHub.start({ issues: 5 });
  const { body } = await hub.admin("PUT", ORDER, { order: ["acme/one#4", "acme/gone#1", "Acme/One#2", "acme/one#4"] });
  expect(body).toEqual({ ok: true, order: ["acme/one#4", "acme/gone#1", "acme/one#2"] });
  expect((await queueOf(hub)).queue.map(({ key }) => key)).toEqual([4, 2, 1, 3, 5].map((n) => `acme/one#${n}`));
  await hub.restart();
  const relays = [await hub.relay("a"), await hub.relay("b"), await hub.relay("c")];
  const numbers: number[] = [];
  for (const relay of relays) numbers.push((await relay.ready()).number);
  expect(numbers).toEqual([4, 2, 1]);
  await hub.admin("PUT", ORDER, { order: [] });
  expect((await hub.admin("GET", ORDER)).body).toEqual({ order: [], waiting: 0, hold: [] });
});

test("a held issue is not offered until it is released, and a running task on it goes on", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  const relay = await hub.relay("alice");
  const task = await relay.ready();
  const hold = (key: string, held: boolean, reason?: string) => hub.admin("POST", HOLD, { key, held, reason });
  expect((await hold("acme/one#1", true)).status).toBe(200);
  expect((await hold("acme/one#2", true, "waits for the design")).body).toEqual({
    ok: true,
    key: "acme/one#2",
    held: true,
    reason: "waits for the design",
    hold: ["acme/one#1", "acme/one#2"],
  });
  relay.send({ type: "task_progress", task_id: task.task_id, task_gen: task.task_gen });
  expect(await relay.pending("task_revoke")).toEqual([]);
  expect((await (await hub.relay("bob")).refused()).withheld).toEqual({ leased: 1, operator_hold: 1 });
  const shown = (await queueOf(hub)).queue.find(({ key }) => key === "acme/one#2");
  expect(shown).toMatchObject({
    held: true,
    withheld: { reason: "operator_hold", because: "an operator holds it back (waits for the design)" },
  });
  await hub.restart();
  expect(hub.withheld(2)).toBe("operator_hold");
  expect((await hub.admin("POST", `${HOLD}/clear`)).body).toEqual({ ok: true, cleared: 2, hold: [] });
  expect(hub.withheld(2)).toBeUndefined();
});

test.each([
  [ORDER, "PUT", { order: Array.from({ length: 513 }, (_, n) => `a/b#${n + 1}`) }],
  [ORDER, "PUT", { order: ["no issue"] }],
  [HOLD, "POST", { key: "acme/one#0", held: true }],
  [HOLD, "POST", { key: "acme/one#1" }],
  [HOLD, "POST", { key: "acme/one#1", held: true, reason: "x".repeat(201) }],
])("%s refuses what is wrong, and is for admins", async (path, method, body) => {
  await using hub = await TestHub.start();
  expect((await hub.admin(method, path, body)).status).toBe(400);
  expect((await hub.call(method, path, body)).status).toBe(401);
});

test("every withheld issue says why in words, and every reason is counted", async () => {
  await using hub = await TestHub.start({ issues: 3, contribute: { contribute_deny_titles: ["Issue 1"] } });
  hub.codeHost.setPullRequest({ repo: "acme/one", number: 9, body: "closes #2", updatedAt: hub.clock.now() });
  await hub.hub.monitor.refresh();
  const { queue, withheld_because: words } = await queueOf(hub);
  expect(queue.map(({ withheld }) => withheld?.because)).toEqual([
    undefined,
    "the title filter leaves it out",
    "an open pull request claims it (https://github.com/acme/one/pull/9), for another 3 days",
  ]);
  expect(words).toEqual({ title_filter: expect.any(String), claimed: "an open pull request claims it" });
});

test("a repository with thousands of issues does not starve a repository with a single one", async () => {
  await using hub = await TestHub.start({ issues: 3000, config: { repos: ["acme/one", "acme/small"] } });
  hub.codeHost.setIssue({ repo: "acme/small", number: 1 });
  await hub.hub.monitor.refresh();
  const repos: string[] = [];
  for (const login of ["a", "b"]) repos.push((await (await hub.relay(login)).ready()).repo);
  expect(repos.sort()).toEqual(["acme/one", "acme/small"]);
});

test("without configured repositories the hub serves what the app is installed on, and follows it", async () => {
  await using hub = await TestHub.start({ issues: 1, kind: "app", config: { repos: [] } });
  hub.codeHost.setIssue({ repo: "acme/two", number: 5 });
  await hub.hub.monitor.refresh();
  expect((await queueOf(hub)).queue.map(({ key }) => key).sort()).toEqual(["acme/one#1", "acme/two#5"]);
});

test("facts of private repositories are hidden from everybody but admins, on every surface", async () => {
  await using hub = await TestHub.start({ issues: 0, config: { repos: ["acme/open", "acme/vault"] } });
  hub.codeHost.privateRepositories.add("acme/vault");
  hub.codeHost.addRepository("acme/open");
  hub.codeHost.setIssue({ repo: "acme/vault", number: 1, title: "the secret plan" });
  await hub.hub.monitor.refresh();
  const { registration_token: token } = await hub.register("mallory");
  const relay = await hub.relay("alice");
  const task = await relay.ready();
  relay.send({ type: "task_accepted", task_id: task.task_id, task_gen: task.task_gen });
  relay.send({ type: "task_failed", task_id: task.task_id, task_gen: task.task_gen, reason: "the secret broke" });
  await relay.next("task_ack");
  await hub.clock.jump(11 * 60_000);
  await relay.ready();
  const surfaces = ["queue?with=withheld", "fleet", "activity", "status"].map((path) => `/api/contribute/${path}`);
  for (const path of [...surfaces, "/contribute"]) {
    for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
      const text = JSON.stringify((await hub.call("GET", path, undefined, headers)).body);
      expect(text, path).not.toMatch(/vault|secret/);
    }
  }
  for (const path of surfaces) expect(JSON.stringify((await hub.admin("GET", path)).body), path).toMatch(/vault/);
  const events = await fetch(`${hub.url}/api/contribute/events`);
  const reader = events.body!.getReader();
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value)).not.toMatch(/vault|secret/);
  await reader.cancel();
  expect((await queueOf(hub)).hidden).toBe(1);
  expect((await hub.call("GET", "/api/contribute/status")).body).toMatchObject({ total_items: 1, in_flight: 1 });
  await hub.restart();
  expect(JSON.stringify((await hub.call("GET", "/api/contribute/activity")).body)).not.toMatch(/vault|secret/);
});

test("a pull request of a private repository claims a public issue, and has no name for strangers", async () => {
  await using hub = await TestHub.start({ issues: 0, config: { repos: ["acme/open", "acme/vault"] } });
  hub.codeHost.privateRepositories.add("acme/vault");
  hub.codeHost.addRepository("acme/open");
  hub.codeHost.setIssue({ repo: "acme/open", number: 1 });
  hub.codeHost.setPullRequest({ repo: "acme/vault", number: 9, body: "fixes acme/open#1" });
  await hub.hub.monitor.refresh();
  const pages = ["queue?with=withheld", "issues/acme/open/1"];
  for (const path of pages.map((page) => `/api/contribute/${page}`)) {
    const theirs = JSON.stringify((await hub.call("GET", path)).body);
    expect(theirs, path).toMatch(/claim/);
    expect(theirs, path).not.toMatch(/vault/);
    expect(JSON.stringify((await hub.admin("GET", path)).body), path).toMatch(/vault\/pull\/9/);
  }
});

test("the claim of a red pull request ends after the time that an admin set", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const updatedAt = hub.clock.now() - 2 * 3_600_000;
  hub.codeHost.setPullRequest({ repo: "acme/one", number: 9, body: "fixes #1", updatedAt, headSha: "red" });
  hub.codeHost.checks.set("red", "red");
  await hub.hub.monitor.refresh();
  expect(hub.withheld(1)).toBe("claimed");
  await hub.admin("PUT", "/api/config/governor/hub", { contribute_claim_stale_hours: 1 });
  await hub.hub.monitor.refresh();
  expect(hub.withheld(1)).toBeUndefined();
});

test("checks that cannot be read leave the claim in force, the issues on offer, and are told once", async () => {
  await using hub = await TestHub.start({ issues: 5 });
  const updatedAt = hub.clock.now() - 200 * 3_600_000;
  for (const number of [9, 10])
    hub.codeHost.setPullRequest({ repo: "acme/one", number, body: `fixes #${number - 8}`, updatedAt, headSha: "red" });
  hub.codeHost.checks.set("red", "red");
  await hub.hub.monitor.refresh();
  expect(await hub.actionable()).toBe(5);
  let asked = 0;
  hub.codeHost.requiredChecks = async () => {
    asked += 1;
    throw new NestError("codehost_refused", "check runs of acme/one: the code host refused it (403)");
  };
  expect(await hub.hub.monitor.refresh()).toMatchObject({ issues: 5, failed: [] });
  expect([hub.withheld(1), hub.withheld(2), await hub.actionable()]).toEqual(["claimed", "claimed", 3]);
  expect(asked).toBe(1);
  expect(hub.hub.monitor.repositories()).toMatchObject([{ state: "ready", error: expect.stringContaining("403") }]);
});

test("a repository is hidden as soon as its own record cannot be read, and shown when it can again", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const shown = async () => (await queueOf(hub)).queue.length;
  expect(await shown()).toBe(1);
  const { isPrivate } = hub.codeHost;
  hub.codeHost.isPrivate = async () => {
    throw new NestError("codehost_unreachable", "visibility of acme/one: the code host did not answer");
  };
  await hub.clock.jump(3_600_000);
  await hub.hub.monitor.refresh();
  expect([await shown(), await hub.actionable()]).toEqual([0, 1]);
  await hub.hub.monitor.refresh();
  expect(await shown()).toBe(0);
  hub.codeHost.isPrivate = isPrivate;
  await hub.hub.monitor.refresh();
  expect(await shown()).toBe(1);
});

test("titles and labels that hide, reorder or go on for 10 kB are shown as one clean line", async () => {
  await using hub = await TestHub.start({ issues: 0 });
  const title = `\u202e<b>evil</b>\u001b[2J\n${"x".repeat(10_000)}`;
  hub.codeHost.setIssue({ repo: "acme/one", number: 1, title, labels: ["\u202elabel\u0007"] });
  await hub.hub.monitor.refresh();
  const { queue } = (await hub.call("GET", "/api/contribute/queue")).body as {
    queue: { title: string; labels: string[] }[];
  };
  expect(queue[0]?.title).toBe(`<b>evil</b> ${"x".repeat(500)}`);
  expect(queue[0]?.labels).toEqual(["label"]);
  const task = await (await hub.relay("alice")).ready();
  expect([task.title, task.labels]).toEqual([queue[0]?.title, ["label"]]);
});
