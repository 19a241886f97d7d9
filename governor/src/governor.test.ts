import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CodeHostMemory } from "@nest/codehost";
import { NestError, seededRandom, silentLog, VirtualClock } from "@nest/kit";
import type { RunOutcome } from "@nest/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ActiveRun, EndOfRun, RunRequest } from "./agents/run-port.ts";
import { ActivityFeed } from "./feed/activity-feed.ts";
import { Governor } from "./governor.ts";
import { StateFile } from "./nest-state.ts";
import { anAgent } from "./policy/an-agent.ts";
import type { GovernorSettings } from "./policy/settings.ts";
import { RunStore } from "./runs/run-store.ts";
import { Scanner } from "./work/scan.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let folder = "";
let clock: VirtualClock;
let codeHost: CodeHostMemory;
let governor: Governor;
let runs: RunStore;
let ledger: [string, string, string?][];
let sessionsEnded: string[];
/** Whether agents are past their checkouts. */
let begun: boolean;
let going: { request: RunRequest; end: (outcome: RunOutcome) => Promise<void> }[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-governor-"));
  clock = new VirtualClock();
  codeHost = new CodeHostMemory();
  [ledger, going, sessionsEnded] = [[], [], []];
  begun = true;
});
afterEach(async () => {
  await governor.close();
  await rm(folder, { recursive: true });
});

const settings = (more: Partial<GovernorSettings> = {}): GovernorSettings => ({
  repos: ["acme/web"],
  primaryRepo: "acme/web",
  acmmLevel: 5,
  evalIntervalMs: 5 * MINUTE,
  modes: [{ name: "busy", threshold: 2, cadences: { scanner: 10 * MINUTE, guide: "pause" } }],
  limits: {},
  holdLabels: ["hold"],
  exemptLabels: [],
  denyAuthors: [],
  denyTitles: [],
  holdLabel: "hold",
  agents: [anAgent("scanner")],
  recordings: { days: 14, bytes: 1e9 },
  ...more,
});

async function start(more: Partial<GovernorSettings> = {}, trouble?: string): Promise<void> {
  const log = silentLog();
  const feed = await ActivityFeed.open({ folder, clock, log });
  const keep = () => ({ days: 14, bytes: 1e9 });
  runs = await RunStore.open({ folder: join(folder, "runs"), clock, random: seededRandom(1), log, keep });
  governor = await Governor.open(settings(more), {
    clock,
    log,
    scanner: new Scanner({ codeHost, because: undefined, clock, log, webBase: "https://github.com" }),
    state: new StateFile(folder, clock, log),
    runs,
    feed,
    ledger: {
      blockedIssues: async () => new Set(["acme/web#99"]),
      begin: async (agent, issue) => void ledger.push([agent, `${issue.repo}#${issue.number}`]),
      end: async (agent, issue, outcome) => void ledger.push([agent, issue, outcome]),
    },
    startRun: aRun,
    endSession: async (agent) => void sessionsEnded.push(agent),
    trouble,
    watchTimes: { stalledMs: 100 * HOUR, loopMs: HOUR, standstillMs: HOUR },
  });
  governor.start();
  await pass(0);
}

/** A run that the test ends; its record is on disk like a real one's. */
async function aRun(request: RunRequest): Promise<ActiveRun> {
  const { issue } = request.assignment;
  const record = {
    id: runs.newId(request.agent.name),
    agent: request.agent.name,
    backend: request.agent.backend,
    trigger: request.trigger,
    started_at: new Date(clock.now()).toISOString(),
    links: [],
    ...(issue === undefined ? {} : { issue: `${issue.repo}#${issue.number}` }),
  };
  const stored = { ...record, prompt: "", environment: [], last_lines: [] };
  await runs.begin(stored);
  let resolve: (run: typeof record) => void = () => undefined;
  const ended = new Promise<typeof record>((done) => {
    resolve = done;
  });
  const end = async ({ outcome, summary }: EndOfRun) => {
    const kept = await runs.end({ ...stored, ended_at: new Date(clock.now()).toISOString(), outcome, summary });
    resolve(kept as typeof record);
  };
  going.push({
    request,
    async end(outcome) {
      await end({ outcome, summary: "because" });
      const { name } = request.agent;
      await expect.poll(() => governor.agent(name).state).not.toMatch(/ing$(?<!waiting)/);
    },
  });
  return {
    record,
    ended,
    tail: async () => "",
    prompt: () => "",
    printed: () => 0,
    standstill: () => undefined,
    hasBegun: () => begun,
    end,
  };
}

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed <= ms; passed += 5000) {
    await clock.advance(ms === 0 ? 0 : Math.min(5000, ms));
    // Files are written for real: let them.
    await new Promise((resolve) => setTimeout(resolve, 1));
    for (let turns = 0; turns < 5; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  }
  // However slow the machine is: what has begun is told before anybody looks.
  await expect.poll(() => governor.status.last_eval_at, { timeout: 10_000 }).toBeDefined();
  const between = () => governor.agents.filter(({ state }) => state === "starting" || state === "stopping");
  await expect.poll(() => between().length, { timeout: 10_000 }).toBe(0);
}

function issues(count: number, more: object = {}): void {
  for (let number = 1; number <= count; number += 1) codeHost.setIssue({ repo: "acme/web", number, ...more });
}
const working = () => going.map(({ request }) => [request.agent.name, request.assignment.issue?.number]);

test("the mode follows the number of actionable issues, and each agent works at the interval that it gives", async () => {
  issues(4);
  await start({ agents: [anAgent("scanner"), anAgent("guide", { focus: "overview" })] });
  expect(governor.status).toMatchObject({ mode: "busy", actionable: 3, running: 1 });
  expect(working()).toEqual([["scanner", 1]]);
  expect(governor.agent("guide")).toMatchObject({ state: "paused", pause: { cause: "mode" }, interval_seconds: null });
  await going[0]?.end("finished");
  await pass(9 * MINUTE);
  expect(going).toHaveLength(1);
  await pass(2 * MINUTE);
  expect(working()).toEqual([
    ["scanner", 1],
    ["scanner", 2],
  ]);
});

test("an agent that is busy is not set to work again, and two agents never get the same issue", async () => {
  issues(1);
  await start({ agents: [anAgent("scanner"), anAgent("another")] });
  await pass(HOUR);
  expect(working()).toEqual([["scanner", 1]]);
  expect(governor.work.page({ limit: 10 }).items[0]).toMatchObject({ reason: "in_progress", agent: "scanner" });
});

test("at ACMM level 0 nobody works, and a kick says why", async () => {
  issues(3);
  await start({ acmmLevel: 0 });
  expect(going).toEqual([]);
  await expect(governor.kick("scanner", "ada")).rejects.toMatchObject({ code: "acmm_level_zero" });
});

test("a budget that is used up pauses the agent until midnight UTC", async () => {
  issues(5);
  await start({ agents: [anAgent("scanner", { limits: { runsPerDay: 1 } })] });
  await going[0]?.end("finished");
  await pass(11 * MINUTE);
  expect(governor.agent("scanner")).toMatchObject({ state: "paused", pause: { cause: "budget" } });
  expect(Date.parse(governor.agent("scanner").pause?.until ?? "") % (24 * HOUR)).toBe(0);
  expect(going).toHaveLength(1);
});

test("a pause for the budget ends when the budget is raised again, and the agent works on at once where it is its turn", async () => {
  issues(5);
  const scanner = anAgent("scanner");
  await start({ agents: [scanner], limits: { runsPerDay: 0 } });
  expect(governor.agent("scanner")).toMatchObject({ state: "paused", pause: { cause: "budget" } });
  governor.apply(settings({ agents: [scanner], limits: { runsPerDay: 0, minutesPerDay: 10 } }));
  expect(governor.agent("scanner").state).toBe("paused");
  governor.apply(settings({ agents: [scanner] }));
  expect(governor.agent("scanner").state).toBe("waiting");
  await pass(10_000);
  expect(working()).toEqual([["scanner", 1]]);
});

test("a raised budget ends no pause that a person made", async () => {
  issues(3);
  await start({ limits: { runsPerDay: 0 } });
  await governor.pause("scanner", "ada", {});
  governor.apply(settings());
  expect(governor.agent("scanner")).toMatchObject({ state: "paused", pause: { cause: "person" } });
});

test("a run that could not start counts for no budget", async () => {
  issues(5);
  await start({ agents: [anAgent("scanner", { limits: { runsPerDay: 1 } })] });
  await going[0]?.end("not_started");
  await pass(11 * MINUTE);
  expect(going).toHaveLength(2);
  expect(runs.days(1, clock.now())).toMatchObject([{ runs: 1, outcomes: { not_started: 1 } }]);
});

test("an agent whose turn has come says why it does not work, in place of a moment that has passed", async () => {
  codeHost.addRepository("acme/web");
  await start();
  expect(governor.agent("scanner")).toMatchObject({ state: "waiting", idle_because: "no issue waits for it" });
  expect(governor.agent("scanner").next_at).toBeUndefined();
  codeHost.failure = new NestError("codehost_unreachable", "the code host cannot be reached");
  // An evaluation that goes on already has read before the failure: the next one has not.
  for (let times = 0; times < 2; times += 1) await governor.evaluate();
  expect(governor.agent("scanner").idle_because).toContain("not every repository can be read");
});

test("a kick at an issue of a repository that cannot be read says that, and not that there is no such issue", async () => {
  issues(1);
  codeHost.failure = new NestError("codehost_refused", "the code host refused it (401)");
  await start();
  const kicked = governor.kick("scanner", "ada", { issue: "Acme/web#1" });
  await expect(kicked).rejects.toMatchObject({
    code: "codehost_unreachable",
    message: expect.stringContaining("acme/web could not be read (the code host refused it (401))"),
  });
});

test("a pause lets a run go on, but ends one whose checkout is still being made", async () => {
  issues(3);
  await start();
  await governor.pause("scanner", "ada", {});
  expect(runs.runs[0]?.outcome).toBeUndefined();
  await governor.restart("scanner", "ada");
  await pass(0);
  begun = false;
  await governor.pause("scanner", "ada", {});
  expect(runs.runs[0]).toMatchObject({ outcome: "stopped", summary: "ada paused it before it began" });
});

test("a pause and what became of issues outlive the program", async () => {
  issues(2);
  await start();
  await going[0]?.end("no_work_needed");
  await governor.pause("scanner", "ada", { reason: "holidays" });
  await governor.close();
  await start();
  expect(governor.agent("scanner")).toMatchObject({ state: "paused", pause: { by: "ada", reason: "holidays" } });
  expect(governor.work.page({ limit: 10 }).items.map(({ reason }) => reason)).toEqual(["done", undefined]);
});

test("the end of the program ends the run in progress and gives its issue back, uncounted", async () => {
  issues(1);
  await start();
  await governor.close();
  expect(runs.runs).toMatchObject([{ outcome: "stopped" }]);
  going = [];
  await start();
  expect(governor.work.page({ limit: 10 }).actionable).toBe(1);
});

test("a kick takes the issue that a person names, or the next one, and is refused for one that is not there", async () => {
  issues(3);
  await start({ agents: [anAgent("scanner", { enabled: true }), anAgent("second")], modes: [] });
  await going.find(({ request }) => request.agent.name === "scanner")?.end("finished");
  await governor.kick("scanner", "ada", { issue: "acme/web#3" });
  await pass(0);
  expect(going.at(-1)?.request).toMatchObject({ trigger: "person", by: "ada", assignment: { issue: { number: 3 } } });
  await expect(governor.kick("second", "ada", { issue: "acme/web#3" })).rejects.toMatchObject({ code: "agent_busy" });
  await expect(governor.kick("scanner", "ada", { issue: "other/repo#1" })).rejects.toBeInstanceOf(NestError);
  await expect(governor.kick("nobody", "ada")).rejects.toMatchObject({ code: "agent_not_found" });
});

test("a code host that is down for a day keeps what is known, and is told once in the activity", async () => {
  issues(3);
  await start({ acmmLevel: 0 });
  codeHost.failure = new NestError("codehost_unreachable", "the code host cannot be reached");
  for (let hours = 0; hours < 24; hours += 1) {
    await clock.advance(HOUR);
    await governor.evaluate();
  }
  expect(governor.status.repos).toMatchObject([
    { repo: "acme/web", issues: 3, error: "the code host cannot be reached" },
  ]);
  const { last_eval_at = "", queue_read_at = "" } = governor.status;
  expect(Date.parse(last_eval_at) - Date.parse(queue_read_at)).toBeGreaterThan(22 * HOUR);
  codeHost.failure = undefined;
  await governor.evaluate();
  expect(governor.status.queue_read_at).toBe(governor.status.last_eval_at);
  const feed = await ActivityFeed.open({ folder, clock, log: silentLog() });
  const lines = feed.page(100).activity.map(({ action }) => action);
  expect(lines.filter((action) => action.startsWith("repository"))).toEqual([
    "repository readable again",
    "repository unreadable",
  ]);
});

test("an agent that is taken out of the settings ends its run, one that comes in begins to work", async () => {
  issues(3);
  await start();
  governor.apply(settings({ agents: [anAgent("fresh")] }));
  await pass(10_000);
  const seen = () => runs.runs.map(({ agent, outcome }) => [agent, outcome]);
  await expect.poll(seen, { timeout: 10_000 }).toEqual([
    ["fresh", undefined],
    ["scanner", "stopped"],
  ]);
  expect(governor.agents.map(({ name }) => name)).toEqual(["fresh"]);
  expect(runs.runs.at(-1)?.summary).toBe("the agent was removed");
  await expect.poll(() => sessionsEnded).toEqual(["scanner"]);
});

test("without a code host nobody works, and the reason is said", async () => {
  issues(3);
  await start({}, "the app's private key is not there yet");
  expect(going).toEqual([]);
  await expect(governor.kick("scanner", "ada")).rejects.toThrow("the app's private key is not there yet");
});

test("the ledger hears of each issue's beginning and end", async () => {
  issues(1);
  await start();
  await going[0]?.end("shipped");
  expect(ledger).toEqual([
    ["scanner", "acme/web#1"],
    ["scanner", "acme/web#1", "shipped"],
  ]);
});
