import type { contribute, contributors } from "@nest/protocol";
import { expect, test } from "vitest";
import { ADMIN_TOKEN, TestHub } from "../harness/hub.ts";

const CONFIG = "/api/config/governor/hub";

test("when two admins change the same version of the configuration, the second is refused and told to reload; nothing is lost", async () => {
  await using hub = await TestHub.start();
  const read = await hub.admin("GET", CONFIG);
  const tag = read.headers.get("etag") ?? "";
  const put = (change: object, ifMatch: string) =>
    hub.call("PUT", CONFIG, change, { authorization: `Bearer ${ADMIN_TOKEN}`, "if-match": ifMatch });
  const first = await put({ contribute_deny_titles: ["one"] }, tag);
  expect(first.status).toBe(200);
  const second = await put({ contribute_deny_titles: ["two"] }, tag);
  expect(second).toMatchObject({ status: 412, body: { code: "configuration_changed" } });
  const now = await hub.admin("GET", CONFIG);
  expect(now.body).toMatchObject({ contribute_deny_titles: ["one"] });
  expect(now.headers.get("etag")).toBe(first.headers.get("etag"));
  expect((await put({ contribute_deny_titles: ["two"] }, now.headers.get("etag") ?? "")).status).toBe(200);
  expect((await put({ contribute_deny_titles: ["three"] }, "*")).status).toBe(200);
});

test("the status names another revision when admins changed the configuration or the order, and the same otherwise", async () => {
  await using hub = await TestHub.start({ issues: 2 });
  const revision = async () =>
    ((await hub.call("GET", "/api/contribute/status")).body as contribute.StatusReply).revision;
  const before = await revision();
  await (await hub.relay("alice")).ready();
  expect(await revision()).toBe(before);
  await hub.admin("PUT", CONFIG, { contribute_skip_trackers: false });
  const changed = await revision();
  expect(changed).not.toBe(before);
  await hub.admin("PUT", "/api/contribute/queue/order", { order: ["acme/one#2"] });
  expect(await revision()).not.toBe(changed);
});

test("a search of the queue counts its matches, and can list the issues withheld for one reason", async () => {
  await using hub = await TestHub.start({ issues: 5 });
  await hub.admin("PUT", CONFIG, { contribute_deny_titles: ["/^.*$/"] });
  await hub.admin("PUT", CONFIG, { contribute_deny_titles: [] });
  await hub.admin("POST", "/api/contribute/queue/hold", { key: "acme/one#3", held: true, reason: "later" });
  const queue = async (query: string) =>
    (await hub.call("GET", `/api/contribute/queue?${query}`)).body as contribute.QueueReply;
  const first = await queue("limit=2");
  expect([first.queue.length, first.matching]).toEqual([2, 4]);
  const held = await queue("reason=operator_hold");
  expect(held.queue.map(({ key }) => key)).toEqual(["acme/one#3"]);
  expect(held.matching).toBe(1);
  expect((await queue("reason=quarantined")).queue).toEqual([]);
});

test("a client that follows changes gets the whole fleet once, and then only what changed", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  const alice = await hub.relay("alice");
  const stop = new AbortController();
  const response = await fetch(`${hub.url}/api/contribute/events?fleet=changes`, { signal: stop.signal });
  const events = eventsOf(response);
  expect((await events.next("work")).clankers).toHaveLength(1);
  const bob = await hub.relay("bob");
  const joined = await changesAfter(hub, events);
  expect(joined.clankers.map(({ github_username }) => github_username)).toEqual(["bob"]);
  const task = await alice.ready();
  const working = await changesAfter(hub, events);
  expect(working.work.map(({ task_id }) => task_id)).toEqual([task.task_id]);
  expect(working.clankers.map(({ github_username }) => github_username)).toEqual(["alice"]);
  await bob.drop();
  await expect.poll(() => hub.hub.gateway.connected).toBe(1);
  expect((await changesAfter(hub, events)).gone.clankers).toHaveLength(1);
  stop.abort();
});

test("whoever accepts an answer of a moment ago is still told of their own change, and of every change that the stream told of", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  const alice = await hub.relay("alice");
  const queue = async () =>
    (await hub.call("GET", "/api/contribute/queue?limit=10", undefined, { "cache-control": "max-age=1" }))
      .body as contribute.QueueReply;
  const offered = async () => (await queue()).queue.map(({ key }) => key);
  expect(await offered()).toHaveLength(3);
  await hub.admin("POST", "/api/contribute/queue/hold", { key: "acme/one#3", held: true, reason: "later" });
  expect(await offered()).toEqual(["acme/one#1", "acme/one#2"]);
  const stop = new AbortController();
  const events = eventsOf(await fetch(`${hub.url}/api/contribute/events?fleet=changes`, { signal: stop.signal }));
  await events.next("work");
  await offered();
  await alice.ready();
  // The same answer is given to all, until the stream tells of the task.
  expect(await offered()).toHaveLength(2);
  await changesAfter(hub, events);
  expect(await offered()).toEqual(["acme/one#2"]);
  stop.abort();
});

test("the list of contributors can be sorted and counts each one's tasks of the day; one contributor's page has the limits", async () => {
  await using hub = await TestHub.start({ issues: 3 });
  await hub.register("zoe");
  await hub.clock.advance(1000);
  const relay = await hub.relay("Adam");
  await relay.ready();
  const list = async (query: string) =>
    (await hub.admin("GET", `/api/contributors?${query}`)).body as {
      contributors: contributors.ContributorRow[];
      matching: number;
    };
  const logins = async (query: string) => (await list(query)).contributors.map((one) => one.github_username);
  expect(await logins("")).toEqual(["zoe", "Adam"]);
  expect(await logins("sort=login")).toEqual(["Adam", "zoe"]);
  expect(await logins("sort=login&direction=down")).toEqual(["zoe", "Adam"]);
  expect(await logins("sort=last_active&direction=down")).toEqual(["Adam", "zoe"]);
  expect((await list("limit=1")).matching).toBe(2);
  expect((await list("q=adam")).contributors[0]).toMatchObject({ assigned_day: 1 });
  const one = await hub.admin("GET", "/api/contributors/adam");
  expect(one.body).toMatchObject({ limits: { used_hour: 1, max_per_hour: 3, held: 1 } });
});

test("the wait from a relay's ready to its task is measured; the time until a limit ends is not", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  const wait = async () =>
    ((await hub.call("GET", "/api/contribute/metrics")).body as { ready_to_assign?: object }).ready_to_assign;
  await (await hub.relay("alice")).ready();
  expect(await wait()).toEqual({ count: 1, median_ms: 0, slow_ms: 0 });
  const bob = await hub.relay("bob", {
    capabilities: { relay_capabilities: ["task_ack", "task_push", "withheld_counts", "limits_left"] },
  });
  expect((await bob.refused()).reason).toBe("no_matching_work");
  await hub.clock.jump(3000);
  hub.codeHost.setIssue({ repo: "acme/one", number: 2 });
  await hub.admin("POST", "/api/contribute/queue/refresh");
  expect((await bob.next("task_assign")).number).toBe(2);
  expect(await wait()).toMatchObject({ count: 2, slow_ms: 3000 });
});

/** What is told at the next beat of the stream. */
async function changesAfter(hub: TestHub, events: Events): Promise<contribute.FleetChanges> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  await hub.clock.jump(1000);
  return events.next("changes");
}

test("data, pages, their files and the stream are compressed; answers with a token are not", async () => {
  await using hub = await TestHub.start({ issues: 40 });
  const encodingOf = async (path: string, accepted = "gzip, deflate, br", init: RequestInit = {}) => {
    const headers = { "accept-encoding": accepted, "content-type": "application/json" };
    const response = await fetch(hub.url + path, { ...init, headers });
    await response.body?.cancel();
    return response.headers.get("content-encoding");
  };
  const compressed = ["/", "/api/contribute/queue", "/api/openapi.json", "/assets/live.js", "/assets/live.css"];
  for (const path of compressed) expect([path, await encodingOf(path)]).toEqual([path, "br"]);
  expect(await encodingOf("/api/contribute/queue", "gzip")).toBe("gzip");
  expect(await encodingOf("/api/contribute/queue", "identity")).toBeNull();
  expect(await encodingOf("/api/contribute/events")).toBe("gzip");
  for (const others of ["identity", "br", "gzip;q=0"])
    expect([others, await encodingOf("/api/contribute/events", others)]).toEqual([others, null]);
  const register = { method: "POST", body: JSON.stringify({ github_username: "newcomer" }) };
  expect(await encodingOf("/api/contribute/register", "br", register)).toBeNull();
});

interface Events {
  next(name: "work"): Promise<contribute.FleetReply>;
  next(name: "changes"): Promise<contribute.FleetChanges>;
}

/** Reads server-sent events, one of a name at a time; others are passed over. */
function eventsOf(response: Response): Events {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    async next(name: string) {
      for (;;) {
        const end = text.indexOf("\n\n");
        if (end === -1) {
          const { value, done } = await reader.read();
          if (done) throw new Error("the stream ended");
          text += value;
          continue;
        }
        const event = text.slice(0, end);
        text = text.slice(end + 2);
        if (event.startsWith(`event: ${name}\n`)) return JSON.parse(event.slice(event.indexOf("data: ") + 6));
      }
    },
  };
}
