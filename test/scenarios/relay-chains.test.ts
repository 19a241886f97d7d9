import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { DEMO_AGENT } from "@nest/demo-agent";
import { systemClock } from "@nest/kit";
import { DEMO_CONTRIBUTORS, DEMO_HUB_TOKEN, demoSeed, startLocalCodeHost } from "@nest/local-codehost";
import { expect, test } from "vitest";
import { RelayHere, until } from "../../relay/src/testing/relay-here.ts";
import { aTask, ScriptedHub } from "../../relay/src/testing/scripted-hub.ts";
import { FolderHere, freePorts } from "../harness/folder-here.ts";
import { TestHub } from "../harness/hub.ts";
import { HubProcess, UNLIMITED } from "../harness/hub-process.ts";
import { RawRelay } from "../harness/raw-relay.ts";
import { RelayProcess } from "../harness/relay-process.ts";

/**
 * Chains of small mistakes that cost whole nights elsewhere, each from its first link to its last.
 */

const run = promisify(execFile);
const FAKES = join(import.meta.dirname, "../fakes/bin");
const REPO = "meadow/tide-clock";
const MINUTE = 60_000;
/** Real programs on a machine that may have other things to do. */
const SLOW_MS = 150_000;
const PATIENCE_MS = 60_000;
const [ada] = DEMO_CONTRIBUTORS;

/** A hub process and the local code host it reads, gone together. */
async function aPlace(options: { readonly clockScale?: number } = {}) {
  const folder = await FolderHere.make("chains");
  const codeHost = await startLocalCodeHost({
    dataDir: folder.in("codehost"),
    seed: await demoSeed(),
    clock: systemClock(),
  });
  const [port = 0] = await freePorts(1);
  const hub = await HubProcess.start({
    folder: folder.in("hub"),
    apiUrl: codeHost.apiUrl,
    repos: [REPO],
    token: DEMO_HUB_TOKEN,
    contribute: UNLIMITED,
    port,
    ...options,
  });
  await hub.refresh();
  return {
    folder,
    codeHost,
    hub,
    async relay(agent: string, environment: Record<string, string>): Promise<RelayProcess> {
      const { registration_token: token } = await hub.register(ada.login);
      const codeHostUrl = codeHost.webUrl;
      const all = { GH_TOKEN: ada.token, ...environment };
      return new RelayProcess({ folder: folder.path, socket: hub.socket, token, agent, codeHostUrl, environment: all });
    },
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]();
      await codeHost.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function actions(hub: HubProcess): Promise<string[]> {
  return (await hub.activity()).map(({ action }) => action);
}

test("a second ready, a task handed back unseen, a restart, a refused resume: the pull request opened just before it is credited", {
  timeout: SLOW_MS,
}, async () => {
  await using place = await aPlace();
  const { hub } = place;
  const pace = { NEST_AGENT_ENV: "NEST_DEMO_PACE_MS", NEST_DEMO_PACE_MS: "600" };
  await using relay = await place.relay(DEMO_AGENT, pace);
  const standing = async () => (await hub.contributors())[0];
  await expect.poll(standing, { timeout: PATIENCE_MS }).toMatchObject({ total_tasks_completed_with_pr: 1 });
  await expect.poll(async () => (await standing())?.current_task, { timeout: PATIENCE_MS }).toBeDefined();
  const before = await standing();

  // It restarts while the next task is at work, its pull request perhaps opened a moment ago.
  hub.process.signal("SIGTERM");
  expect(await hub.process.ended).toMatchObject({ code: 0 });
  hub.startAgain();
  await hub.ready();
  await hub.refresh();
  const done = (before?.total_tasks_completed_with_pr ?? 0) + 2;
  await expect
    .poll(async () => (await standing())?.total_tasks_completed_with_pr ?? 0, { timeout: PATIENCE_MS })
    .toBeGreaterThanOrEqual(done);
  expect(await standing()).toMatchObject({ total_tasks_failed: 0 });
  expect((await actions(hub)).filter((action) => /gave the task back|released|expired|failed/.test(action))).toEqual(
    [],
  );
  expect(relay.process.said).not.toContain("the hub took the task back");
  const taken = (await hub.activity()).filter(({ action }) => action === "picked up").map((entry) => entry.task);
  expect(new Set(taken).size).toBe(taken.length);
});

test("a headless agent that says nothing for longer than a lease keeps it: progress goes on, and its own bound ends it first", {
  timeout: SLOW_MS,
}, async () => {
  // The hub's time runs three times as fast as the relay's: its lease of 30 minutes is over in 3 s, the agent takes 5.
  await using place = await aPlace({ clockScale: 600 });
  const { hub } = place;
  const silent = { NEST_AGENT_ENV: "FAKE_SECONDS,FAKE_REPO", FAKE_SECONDS: "5", FAKE_REPO: REPO };
  {
    await using _ = await place.relay(join(FAKES, "agent-ok"), { ...silent, NEST_TEST_CLOCK_SCALE: "200" });
    await expect.poll(() => actions(hub), { timeout: PATIENCE_MS }).toContainEqual(expect.stringMatching(/^completed/));
    expect(await actions(hub)).not.toContainEqual(expect.stringContaining("expired"));
  }
});

test("a task older than its first lease is resumed after a drop, and three drops quarantine nothing", async () => {
  await using hub = await TestHub.start({ issues: 1 });
  let relay: RawRelay & { token?: string } = await hub.relay("ada");
  const { token = "" } = relay;
  const task = await relay.ready();
  const of = { task_id: task.task_id, task_gen: task.task_gen };
  relay.send({ type: "task_accepted", ...of });
  for (let drop = 1; drop <= 3; drop += 1) {
    await hub.clock.jump(20 * MINUTE);
    relay.send({ type: "task_progress", ...of, status: "working" });
    await relay.pending();
    await hub.clock.jump(5 * MINUTE);
    await relay.drop();
    await hub.clock.jump(MINUTE);
    relay = await RawRelay.join(hub.socket, token);
    relay.send({ type: "task_accepted", ...of });
    relay.send({ type: "task_progress", ...of, kind: "issue", repo: task.repo, number: 1, status: "working" });
    expect(await relay.pending("task_revoke"), `drop ${drop}`).toEqual([]);
  }
  expect(hub.hub.ledger.item("acme/one#1")).toMatchObject({ failures: 0, holdReason: undefined });
  relay.send({ type: "task_complete", ...of, result: "completed" });
  await relay.next("task_ack");
  expect(hub.withheld(1)).not.toBe("quarantined");
});

test("a revoke, and the same issue again four seconds later, is never typed on top of the turn that still runs", {
  timeout: SLOW_MS,
}, async () => {
  const hub = await ScriptedHub.start();
  const relay = await RelayHere.make();
  try {
    relay.start({
      NEST_HUB: hub.address,
      CONTRIBUTOR_MODE: "interactive",
      NEST_AGENT_COMMAND: join(FAKES, "agent-at-terminal"),
      FAKE_SECONDS: "1000",
    });
    const visit = await hub.visit();
    const prompt = "Work on it.\nEnd with NEST_VERDICT: complete\nend of prompt";
    await visit.next("ready");
    visit.say(aTask({ prompt, task_gen: 1 }));
    await visit.next("task_accepted");
    const socket = () => /tmux -L (\S+) attach/.exec(relay.said)?.[1] ?? "";
    const pane = async () =>
      (await run("tmux", ["-L", socket(), "capture-pane", "-p", "-S", "-"]).catch(() => ({ stdout: "" }))).stdout;
    const typed = async () => (await pane()).split("working in").length - 1;
    await until(async () => (await typed()) === 1, "the first prompt was typed");
    visit.say({ type: "task_revoke", task_id: String(aTask().task_id), reason: "no active lease for this task" });
    visit.say(aTask({ prompt, task_id: "again", task_gen: 2 }));
    expect(await visit.next("task_declined")).toMatchObject({ task_id: "again", task_gen: 2 });
    await visit.next("ready", 15_000);
    visit.say(aTask({ prompt, task_id: "once more", task_gen: 3 }));
    expect(await visit.next("task_accepted")).toMatchObject({ task_gen: 3 });
    await until(
      async () => (await typed()) === 1 && (await pane()).includes("end of prompt"),
      "it has a pane of its own",
    );
    expect(visit.count("task_failed") + visit.count("task_complete")).toBe(0);
  } finally {
    await relay[Symbol.asyncDispose]();
    await hub.stop();
  }
});

test("one contributor with two sessions has two leases, and both are resumed", async () => {
  const tier_limits = { newcomer: { max_per_hour: 0, max_per_day: 0, max_concurrent: 2 } };
  await using hub = await TestHub.start({ issues: 3, contribute: { tier_limits } });
  const { registration_token: token } = await hub.register("ada");
  const sessions = ["one", "two"];
  const tasks = [];
  for (const session of sessions) {
    const relay = await RawRelay.join(hub.socket, token, { session });
    const task = await relay.ready();
    relay.send({ type: "task_accepted", task_id: task.task_id, task_gen: task.task_gen });
    await relay.pending();
    tasks.push(task);
    await relay.drop();
  }
  expect(new Set(tasks.map(({ number }) => number)).size).toBe(2);
  for (const [at, session] of sessions.entries()) {
    const { task_id, task_gen, repo, number } = tasks[at]!;
    const back = await RawRelay.join(hub.socket, token, { session });
    back.send({ type: "task_accepted", task_id, task_gen });
    back.send({ type: "task_progress", task_id, task_gen, kind: "issue", repo, number, status: "working" });
    expect(await back.pending("task_revoke"), session).toEqual([]);
    back.send({ type: "task_complete", task_id, task_gen, result: "completed" });
    expect(await back.next("task_ack")).toMatchObject({ task_id, task_gen });
  }
  expect(hub.hub.ledger.item("acme/one#3")?.failures ?? 0).toBe(0);
});

test("every surface counts the work on offer alike, and as many ready get some", async () => {
  await using hub = await TestHub.start({
    issues: 6,
    contribute: { ...UNLIMITED, contribute_deny_labels: ["wontfix"] },
  });
  hub.codeHost.setIssue({ repo: "acme/one", number: 1, labels: ["wontfix"] });
  hub.codeHost.setPullRequest({ repo: "acme/one", number: 20, body: "fixes #2", updatedAt: hub.clock.now() });
  await hub.hub.monitor.refresh();
  const held = await (await hub.relay("bob")).ready();
  const body = async (path: string) => (await hub.admin("GET", path)).body;
  const queue = (await body("/api/contribute/queue?limit=500")) as { queue: unknown[]; actionable_items: number };
  const metrics = (await body("/metrics")) as string;
  const page = (await body("/contribute")) as string;
  const counts = {
    status: await hub.actionable(),
    queue: queue.actionable_items,
    listed: queue.queue.length,
    metrics: Number(/^nest_actionable_items (\d+)$/m.exec(metrics)?.[1]),
    page: Number(/actionable_items"[^>]*>(\d+)/.exec(page)?.[1]),
  };
  expect(held.number).toBeGreaterThan(2);
  expect(counts).toEqual({ status: 3, queue: 3, listed: 3, metrics: 3, page: 3 });
  const relays = await Promise.all(["a", "b", "c"].map((login) => hub.relay(`ada-${login}`)));
  for (const relay of relays) await relay.ready();
  expect(await hub.actionable()).toBe(0);
  expect((await (await hub.relay("last")).refused()).reason).toBe("no_matching_work");
});
