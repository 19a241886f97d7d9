import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeAgent, isRunning, RelayHere, until } from "./testing/relay-here.ts";
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

describe("one task", () => {
  test("is accepted, done and reported with its pull request, and the next one is asked for", async () => {
    relay.start({ NEST_HUB: hub.address });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    expect(await visit.next("task_accepted")).toMatchObject({ task_id: "ct-acme/web-12-9f86d081", task_gen: 41 });
    expect(await visit.next("task_complete")).toMatchObject({
      task_gen: 41,
      result: "completed",
      verdict: "shipped",
      pr_url: "https://github.com/acme/web/pull/13",
    });
    await visit.next("ready");
  });

  test("that the agent fails with 3 is reported as failed on merit", async () => {
    relay.start({ NEST_HUB: hub.address, NEST_AGENT_COMMAND: fakeAgent("agent-exits-3") });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    expect(await visit.next("task_failed")).toMatchObject({ failure_kind: "task", reason: "agent exited with 3" });
  });

  test("whose agent prints 100 MB does not grow the relay, and its last words count", async () => {
    const child = relay.start({ NEST_HUB: hub.address, NEST_AGENT_COMMAND: fakeAgent("agent-floods") });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    expect(await visit.next("task_complete", 25_000)).toMatchObject({
      verdict: "no_work_needed",
      verdict_reason: "already done",
    });
    const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "VmHWM: 0 kB");
    expect(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(250_000);
  });

  test("that takes longer than 30 minutes is abandoned by the relay's own watchdog", async () => {
    relay.start({ NEST_HUB: hub.address, ...hanging, NEST_TEST_CLOCK_SCALE: "3000" });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    expect(await visit.next("task_failed")).toMatchObject({
      failure_kind: "task",
      reason: "task exceeded 30 minutes",
    });
    expect(visit.count("task_progress")).toBeGreaterThan(5);
  });

  test("leaves its context beside it while it lasts, without any secret", async () => {
    relay.start({ NEST_HUB: hub.address, ...hanging });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    const file = join(relay.home, "contributor-task.json");
    await until(
      () =>
        readFile(file).then(
          () => true,
          () => false,
        ),
      "the context file is there",
    );
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ repo: "acme/web", number: 12, task_gen: 41 });
    visit.say({ type: "task_revoke", task_id: String(aTask().task_id), reason: "yanked" });
    await visit.next("ready");
    await expect(readFile(file)).rejects.toThrow("ENOENT");
  });
});

describe("a revoke", () => {
  test("ends the agent's whole process tree and asks for new work, without a report", async () => {
    const pidFile = join(relay.home, "grandchild");
    relay.start({ NEST_HUB: hub.address, NEST_AGENT_COMMAND: fakeAgent("agent-forks"), FAKE_PID_FILE: pidFile });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    await until(
      () =>
        readFile(pidFile, "utf8").then(
          (text) => text.trim() !== "",
          () => false,
        ),
      "the grandchild runs",
    );
    const pid = Number(await readFile(pidFile, "utf8"));
    expect(await isRunning(pid)).toBe(true);
    visit.say({ type: "task_revoke", task_id: String(aTask().task_id), reason: "no active lease for this task" });
    await visit.next("ready", 12_000);
    expect(await isRunning(pid)).toBe(false);
    expect(visit.count("task_failed") + visit.count("task_complete")).toBe(0);
  });

  test("of another task changes nothing", async () => {
    relay.start({ NEST_HUB: hub.address, ...hanging, NEST_TEST_CLOCK_SCALE: "100" });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    await visit.next("task_accepted");
    visit.say({ type: "task_revoke", task_id: "another" });
    await visit.next("task_progress");
    await visit.next("task_progress");
    expect(visit.count("ready")).toBe(1);
  });
});

describe("an assignment", () => {
  test("pushed to an idle relay is accepted", async () => {
    relay.start({ NEST_HUB: hub.address });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say({ type: "task_unavailable", reason: "no_matching_work" });
    visit.say(aTask());
    await visit.next("task_accepted");
    await visit.next("task_complete");
  });

  test.each([
    ["declined where the hub knows that", ["task_ack", "task_declined"], "task_declined"],
    ["failed as the environment's where it does not", ["task_ack"], "task_failed"],
  ] as const)("to a busy relay is %s", async (_, capabilities, type) => {
    hub.manners = { capabilities };
    relay.start({ NEST_HUB: hub.address, ...hanging });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    await visit.next("task_accepted");
    visit.say(aTask({ task_id: "second", task_gen: 42 }));
    const given = await visit.next(type);
    expect(given).toMatchObject({ task_id: "second", task_gen: 42 });
    if (given.type === "task_failed") expect(given.failure_kind).toBe("environment");
    expect(visit.count("task_accepted")).toBe(1);
  });
});

describe("an agent left behind", () => {
  test("by kill -9 of the relay is ended by the next one before it asks for work", async () => {
    const pidFile = join(relay.home, "grandchild");
    const child = relay.start({
      NEST_HUB: hub.address,
      NEST_AGENT_COMMAND: fakeAgent("agent-forks"),
      FAKE_PID_FILE: pidFile,
    });
    const first = await hub.visit();
    await first.next("ready");
    first.say(aTask());
    await until(
      () =>
        readFile(pidFile, "utf8").then(
          (text) => text.trim() !== "",
          () => false,
        ),
      "the grandchild runs",
    );
    const pid = Number(await readFile(pidFile, "utf8"));
    child.kill("SIGKILL");
    await RelayHere.exit(child);
    expect(await isRunning(pid)).toBe(true);
    relay.start({ NEST_HUB: hub.address });
    await (await hub.visit(15_000)).next("ready");
    expect(await isRunning(pid)).toBe(false);
  });
});

describe("SIGTERM", () => {
  test("with a task in hand ends its tree, reports relay stopped as the environment's, closes 1000, exits 0 within 8 s", async () => {
    const pidFile = join(relay.home, "grandchild");
    const child = relay.start({
      NEST_HUB: hub.address,
      NEST_AGENT_COMMAND: fakeAgent("agent-forks"),
      FAKE_PID_FILE: pidFile,
    });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    await until(
      () =>
        readFile(pidFile, "utf8").then(
          (text) => text.trim() !== "",
          () => false,
        ),
      "the grandchild runs",
    );
    const pid = Number(await readFile(pidFile, "utf8"));
    const told = Date.now();
    child.kill("SIGTERM");
    expect(await visit.next("task_failed")).toMatchObject({ failure_kind: "environment", reason: "relay stopped" });
    expect(relay.said).toMatch(/stopping; the agent is ended, and \S+#\d+ goes back to /);
    expect((await visit.closed).code).toBe(1000);
    expect(await RelayHere.exit(child)).toBe(0);
    expect(Date.now() - told).toBeLessThan(8000);
    expect(await isRunning(pid)).toBe(false);
  });

  test("while a hub's answer is due declines the task that comes, so that its issue is free at once", async () => {
    const child = relay.start({ NEST_HUB: hub.address });
    const visit = await hub.visit();
    await visit.next("ready");
    child.kill("SIGTERM");
    await until(() => Promise.resolve(relay.said.includes("stopping")), "the relay stops");
    visit.say(aTask());
    expect(await visit.next("task_declined")).toMatchObject({ reason: "busy", message: "relay stopped" });
    expect((await visit.closed).code).toBe(1000);
    expect(await RelayHere.exit(child)).toBe(0);
  });

  test("while idle closes 1000 and exits 0", async () => {
    const child = relay.start({ NEST_HUB: hub.address });
    const visit = await hub.visit();
    await visit.next("ready");
    child.kill("SIGTERM");
    expect((await visit.closed).code).toBe(1000);
    expect(await RelayHere.exit(child)).toBe(0);
  });

  test("while no hub can be reached exits 0", async () => {
    const child = relay.start({ NEST_HUB: "ws://127.0.0.1:9/contribute" });
    await until(() => relay.said.includes("hub away"), "the relay has tried");
    child.kill("SIGTERM");
    expect(await RelayHere.exit(child)).toBe(0);
  });
});

describe("the status file", () => {
  test("waits from authentication on, works, and waits again with its last result", async () => {
    relay.start({ NEST_HUB: hub.address, NEST_AGENT_COMMAND: fakeAgent("agent-exits-3"), FAKE_SECONDS: "1" });
    const visit = await hub.visit();
    await visit.next("ready");
    await until(async () => (await relay.status().catch(() => ({ state: "" }))).state === "waiting", "it waits");
    expect(await relay.status()).toMatchObject({ mode: "headless", backend: "claude" });
    visit.say(aTask());
    await visit.next("task_failed");
    await visit.next("ready");
    await until(async () => (await relay.status()).state === "waiting", "it waits again");
    expect(await relay.status()).toMatchObject({ last_result: "failed" });
  });
});
