import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeAgent, RelayHere, TOKEN, until } from "./testing/relay-here.ts";
import { aTask, ScriptedHub } from "./testing/scripted-hub.ts";

let hub: ScriptedHub;
let relay: RelayHere;

beforeEach(async () => {
  hub = await ScriptedHub.start();
  relay = await RelayHere.make();
});
afterEach(async () => {
  await relay[Symbol.asyncDispose]();
  await hub.stop();
});

const hanging = { NEST_AGENT_COMMAND: fakeAgent("agent-never-ends") };

describe("a connection", () => {
  test("lost in the middle of a task is resumed: accepted, then progress, both with the generation; no ready", async () => {
    relay.start({ NEST_HUB: hub.address, ...hanging });
    const first = await hub.visit();
    await first.next("ready");
    first.say(aTask());
    await first.next("task_accepted");
    first.cut();
    const second = await hub.visit();
    expect(await second.next("task_accepted")).toMatchObject({ task_gen: 41 });
    expect(await second.next("task_progress")).toMatchObject({
      task_gen: 41,
      kind: "issue",
      repo: "acme/web",
      number: 12,
      title: "Links break in the footer",
      status: "working",
    });
    second.say({ type: "task_revoke", task_id: String(aTask().task_id), reason: "no active lease for this task" });
    await second.next("ready");
    expect(second.heard.map((message) => message.type).slice(0, 3)).toEqual([
      "auth_response",
      "task_accepted",
      "task_progress",
    ]);
  });

  test("over which a frame of more than 64 KiB comes is closed with 1009 and made anew", async () => {
    relay.start({ NEST_HUB: hub.address });
    const first = await hub.visit();
    await first.next("ready");
    first.say(aTask({ prompt: "x".repeat(70_000) }));
    expect((await first.closed).code).toBe(1009);
    const second = await hub.visit();
    await second.next("ready");
    expect(second.count("task_accepted")).toBe(0);
  });

  test("goes on after unknown types, malformed frames and a generation beyond 2^53 - 1", async () => {
    relay.start({ NEST_HUB: hub.address });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say({ type: "standby_state", standby: {} });
    visit.sayText("[]");
    visit.sayText("not JSON");
    visit.sayText('{"type":"task_assign","task_id":"t","task_gen":9007199254740993,"repo":"acme/web","number":1}');
    visit.say(aTask({ task_id: "good" }));
    expect(await visit.next("task_accepted")).toMatchObject({ task_id: "good" });
    await visit.next("task_complete");
  });

  test("that is accepted and dropped again and again is tried ever more slowly", async () => {
    relay.start({ NEST_HUB: hub.address, NEST_TEST_CLOCK_SCALE: "100" });
    const ends = Date.now() + 3000;
    let count = 0;
    while (Date.now() < ends) {
      const visit = await hub.visit(5000).catch(() => undefined);
      visit?.cut();
      if (visit !== undefined) count += 1;
    }
    // The bounds are 10, 20, 40 … 600 ms: hundreds of connections would come if each acceptance reset the backoff.
    expect(count).toBeGreaterThan(4);
    expect(count).toBeLessThan(40);
  });

  test("never carries a second ready before the first is answered", async () => {
    relay.start({ NEST_HUB: hub.address, NEST_TEST_CLOCK_SCALE: "100" });
    const visit = await hub.visit();
    await visit.next("ready");
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(visit.count("ready")).toBe(1);
    visit.say({ type: "task_unavailable", reason: "no_matching_work" });
    await visit.next("ready");
  });

  test("carries a heartbeat every 30 s, and is made anew when a hub is silent for three of them", async () => {
    // Under this clock 30 s become 2 s, the shortest that a transport time can be.
    relay.start({ NEST_HUB: hub.address, NEST_TEST_CLOCK_SCALE: "15" });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say({ type: "task_unavailable", reason: "no_matching_work", retry_after_s: 600 });
    const pings = () => visit.frames.filter((frame) => JSON.parse(frame).type === "ping").length;
    await until(() => pings() >= 2, "two heartbeats came");
    visit.freeze();
    const frozen = Date.now();
    await (await hub.visit(15_000)).next("ready");
    expect(Date.now() - frozen).toBeGreaterThan(3500);
    expect(relay.said).toContain("silent for");
  });

  test("carries the next ready 30 s after task_unavailable, or when the hub says", async () => {
    relay.start({ NEST_HUB: hub.address, NEST_TEST_CLOCK_SCALE: "100" });
    const visit = await hub.visit();
    await visit.next("ready");
    const asked = Date.now();
    visit.say({ type: "task_unavailable", reason: "contributor_failure_streak", retry_after_s: 100 });
    await visit.next("ready");
    expect(Date.now() - asked).toBeGreaterThan(900);
  });
});

describe("the outbox", () => {
  test("survives kill -9 of the relay: the report comes again, before ready, until it is acknowledged", async () => {
    const child = relay.start({ NEST_HUB: hub.address });
    const first = await hub.visit();
    await first.next("ready");
    first.say(aTask());
    await first.next("task_complete");
    child.kill("SIGKILL");
    await RelayHere.exit(child);
    const again = relay.start({ NEST_HUB: hub.address });
    const second = await hub.visit();
    expect(await second.next("task_complete")).toMatchObject({ task_gen: 41, verdict: "shipped" });
    await second.next("ready");
    second.say({ type: "task_ack", task_id: String(aTask().task_id), task_gen: 41 });
    second.say({ type: "task_unavailable", reason: "no_matching_work" });
    await new Promise((resolve) => setTimeout(resolve, 300));
    again.kill("SIGTERM");
    await RelayHere.exit(again);
    relay.start({ NEST_HUB: hub.address });
    const third = await hub.visit();
    await third.next("ready");
    expect(third.count("task_complete")).toBe(0);
  });

  test("is emptied by sending where the hub does not acknowledge", async () => {
    hub.manners = { capabilities: [] };
    relay.start({ NEST_HUB: hub.address });
    const first = await hub.visit();
    await first.next("ready");
    first.say(aTask());
    await first.next("task_complete");
    await first.next("ready");
    first.cut();
    const second = await hub.visit();
    await second.next("ready");
    expect(second.count("task_complete")).toBe(0);
  });

  test("keeps what was finished while the hub was away", async () => {
    relay.start({ NEST_HUB: hub.address, FAKE_SECONDS: "1", NEST_TEST_CLOCK_SCALE: "20" });
    const first = await hub.visit();
    await first.next("ready");
    first.say(aTask());
    await first.next("task_accepted");
    hub.manners = { silent: true };
    first.cut();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    hub.manners = {};
    for (const visit of hub.visits) visit.cut();
    let report: unknown;
    for (let tries = 0; report === undefined && tries < 8; tries += 1) {
      const visit = await hub.visit().catch(() => undefined);
      report = await visit?.next("task_complete", 1500).catch(() => undefined);
    }
    expect(report).toMatchObject({ task_gen: 41, verdict: "shipped" });
  });
});

describe("several hubs", () => {
  test("are asked in turn, and have one task among them", async () => {
    const other = await ScriptedHub.start();
    relay.start({
      NEST_HUB: `${hub.address},${other.address}`,
      NEST_REGISTRATION_TOKEN: `${TOKEN},${"f".repeat(64)}`,
      ...hanging,
    });
    const [one, two] = await Promise.all([hub.visit(), other.visit()]);
    await until(() => one.count("ready") + two.count("ready") > 0, "one of them is asked");
    const first = one.count("ready") > 0 ? one : two;
    const second = first === one ? two : one;
    first.say({ type: "task_unavailable", reason: "no_matching_work" });
    await second.next("ready");
    second.say(aTask());
    await second.next("task_accepted");
    first.say(aTask({ task_id: "pushed", task_gen: 1 }));
    expect(await first.next("task_declined")).toMatchObject({ task_id: "pushed" });
    await other.stop();
  });

  test("of which one refuses are served by the other", async () => {
    const other = await ScriptedHub.start({ refuse: { type: "auth_failed", reason: "access revoked" } });
    relay.start({ NEST_HUB: `${other.address},${hub.address}`, NEST_REGISTRATION_TOKEN: `${TOKEN},${TOKEN}` });
    await (await hub.visit()).next("ready");
    await other.stop();
  });
});
