import type { Standstill } from "@nest/agents";
import { silentLog, VirtualClock } from "@nest/kit";
import type { nestRuns, RunOutcome } from "@nest/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { anAgent as anAgentsSettings } from "../policy/an-agent.ts";
import type { AgentSettings } from "../policy/settings.ts";
import { Agent, type AgentMemory } from "./agent.ts";
import type { EndOfRun, RunRequest } from "./run-port.ts";

const settings = anAgentsSettings("scanner");
const request: RunRequest = {
  agent: settings,
  allowance: { autonomy: "advise", held: true },
  assignment: { repo: undefined, issue: undefined, message: undefined, overview: [] },
  trigger: "schedule",
  by: undefined,
};
const MINUTE = 60_000;

/** A run that the test ends. */
class HandledRun {
  tailText = "working";
  bytes = 0;
  waits: Standstill | undefined;
  readonly record: nestRuns.Run;
  readonly ended: Promise<nestRuns.Run>;
  #end: (run: nestRuns.Run) => void = () => undefined;

  constructor(now: number) {
    this.record = {
      id: "r",
      agent: "scanner",
      backend: "claude",
      trigger: "schedule",
      started_at: new Date(now).toISOString(),
      links: [],
    };
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  tail = async () => this.tailText;
  prompt = () => "Do the work.\nblocked: you cannot go on; say why.";
  printed = () => this.bytes;
  standstill = () => this.waits;
  hasBegun = () => true;
  end = async ({ outcome, summary }: EndOfRun) => this.settle(outcome, summary);
  settle(outcome: RunOutcome, summary = "") {
    this.#end({ ...this.record, outcome, summary, ended_at: this.record.started_at });
  }
}

let clock: VirtualClock;
let runs: HandledRun[];
let ended: (RunOutcome | undefined)[];
beforeEach(() => {
  clock = new VirtualClock();
  [runs, ended] = [[], []];
});

function anAgent(memory: AgentMemory = {}, more: Partial<AgentSettings> = {}): Agent {
  return new Agent({ ...settings, ...more }, memory, {
    clock,
    log: silentLog(),
    startRun: async () => {
      const run = new HandledRun(clock.now());
      runs.push(run);
      return run;
    },
    onChange: () => undefined,
    onEnded: (_agent, run) => ended.push(run.outcome),
    onPaused: () => undefined,
  });
}

/** Lets time pass in small steps, so that whatever waits in between goes on. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1000) await clock.advance(1000);
}

async function runOnce(agent: Agent, outcome: RunOutcome): Promise<void> {
  agent.begin(request);
  await clock.advance(0);
  runs.at(-1)?.settle(outcome, "because");
  await clock.advance(0);
}

describe("an agent", () => {
  test("does one run at a time", async () => {
    const agent = anAgent();
    agent.begin(request);
    expect(() => agent.begin(request)).toThrow("works already");
    await clock.advance(0);
    expect(agent.doing).toBe("running");
    expect(() => agent.begin(request)).toThrow("works already");
    runs[0]?.settle("finished");
    await clock.advance(0);
    expect(agent.doing).toBe("nothing");
    agent.begin(request);
  });

  test("that is switched off or paused begins nothing, and says why", () => {
    expect(() => anAgent({}, { enabled: false }).begin(request)).toThrow("switched off");
    const agent = anAgent();
    agent.setPause({ cause: "person", by: "ada", reason: "holidays", since: 0, until: undefined });
    expect(() => agent.begin(request)).toThrow("the agent scanner is paused: holidays");
    agent.resume();
    agent.begin(request);
  });

  test("a pause with an end ends by itself, and outlives the program until then", async () => {
    const pause = { cause: "person" as const, by: "ada", reason: "lunch", since: 0, until: clock.now() + MINUTE };
    const agent = anAgent({ pause });
    expect(agent.pause).toEqual(pause);
    await pass(MINUTE);
    expect(agent.pause).toBeUndefined();
    expect(agent.memory.pause).toBeUndefined();
  });

  test("three failures in a row pause it with the last reason; a success in between does not", async () => {
    const agent = anAgent();
    for (const outcome of ["failed", "stalled", "finished", "failed", "overdue"] as const)
      await runOnce(agent, outcome);
    expect(agent.pause).toBeUndefined();
    await runOnce(agent, "failed");
    expect(agent.pause).toMatchObject({ cause: "failures", reason: "3 runs in a row failed; the last one: because" });
    await clock.advance(6 * 60 * MINUTE);
    expect(agent.pause).toBeUndefined();
  });

  test("that cannot start waits a minute, then two, and forgets it when it starts", async () => {
    const agent = anAgent();
    await runOnce(agent, "not_started");
    expect(agent.trouble).toBe("because");
    expect(agent.freeSince).toBe(clock.now() + MINUTE);
    await runOnce(agent, "not_started");
    expect(agent.freeSince).toBe(clock.now() + 2 * MINUTE);
    await runOnce(agent, "finished");
    expect(agent.trouble).toBeUndefined();
  });

  test("that asks for a login is ended after two minutes and paused until a person resumes it", async () => {
    const agent = anAgent();
    agent.begin(request);
    await clock.advance(0);
    (runs[0] as HandledRun).waits = "login";
    await pass(MINUTE);
    expect(agent.waitsFor).toBe("login");
    expect(ended).toEqual([]);
    await pass(2 * MINUTE);
    expect(ended).toEqual(["stalled"]);
    expect(agent.pause).toMatchObject({ cause: "login", until: undefined });
  });

  test("whose quota is used up is paused for an hour, and the run counts as no failure", async () => {
    const agent = anAgent();
    agent.begin(request);
    await clock.advance(0);
    (runs[0] as HandledRun).waits = "quota";
    await pass(3 * MINUTE);
    expect(ended).toEqual(["stopped"]);
    expect(agent.pause?.cause).toBe("quota");
    expect(agent.memory.failures).toBe(0);
  });

  test("that shows nothing new for ten minutes stands still and is ended", async () => {
    const agent = anAgent();
    agent.begin(request);
    await pass(9 * MINUTE);
    expect(ended).toEqual([]);
    await pass(2 * MINUTE);
    expect(ended).toEqual(["stalled"]);
  });

  test("that prints the same lines without end goes round in a loop and is ended", async () => {
    const agent = anAgent();
    agent.begin(request);
    await clock.advance(0);
    const run = runs[0] as HandledRun;
    for (let seconds = 0; seconds < 240 && ended.length === 0; seconds += 10) {
      run.bytes += 1000;
      run.tailText = Array.from({ length: 15 }, (_, at) => `retry ${seconds + at}: connection refused`).join("\n");
      await pass(10_000);
    }
    expect(ended).toEqual(["looped"]);
  });

  test("that takes longer than its settings allow is ended", async () => {
    const agent = anAgent({}, { maxMinutes: 5 });
    agent.begin(request);
    await clock.advance(0);
    for (let minute = 0; minute < 6; minute += 1) {
      (runs[0] as HandledRun).tailText = `at work, minute ${minute}`;
      await pass(MINUTE);
    }
    expect(ended).toEqual(["overdue"]);
  });

  test("that is stopped while it starts ends what it started, and says who stopped it", async () => {
    const agent = anAgent();
    agent.begin(request);
    await agent.stop({ outcome: "stopped", summary: "ada stopped it" });
    expect([ended, agent.doing]).toEqual([["stopped"], "nothing"]);
  });

  test("that is closed while it starts ends what it started", async () => {
    const agent = anAgent();
    agent.begin(request);
    await agent.close("the nest's program was stopped");
    expect(ended).toEqual(["stopped"]);
  });
});

test("the line that an agent shows is its own, never the end of the prompt that the terminal repeats", async () => {
  const agent = anAgent();
  agent.begin(request);
  await pass(3000);
  const [run] = runs;
  if (run === undefined) throw new Error("no run began");
  const shows = async (text: string) => {
    run.tailText = text;
    await pass(3000);
    return agent.nowLine;
  };
  expect(await shows("> Do the work.\n  blocked: you cannot go on; say why.")).toBeUndefined();
  expect(await shows("> Do the work.\n  blocked: you cannot go\n  on; say why.")).toBeUndefined();
  expect(await shows("> Do the work.\n  blocked: you cannot go on; say why.\nI read the code")).toBe("I read the code");
  expect(await shows("all is\nwork.")).toBe("work.");
});
