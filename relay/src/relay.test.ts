import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeAgent, isRunning, RelayHere, TOKEN, until } from "./testing/relay-here.ts";
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

  test.each([
    ["exits with 127", fakeAgent("agent-exits-127")],
    ["is not there", "/nowhere/agent"],
  ])("whose agent %s is reported as the environment's failure", async (_, command) => {
    relay.start({ NEST_HUB: hub.address, NEST_AGENT_COMMAND: command });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    expect(await visit.next("task_failed")).toMatchObject({ failure_kind: "environment" });
    await visit.next("ready");
  });

  test("for a backend without headless mode fails for good, as the environment's", async () => {
    relay.start({ NEST_HUB: hub.address, AGENT_BACKEND: "aider" });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    expect(await visit.next("task_failed")).toMatchObject({ failure_kind: "environment", permanent: true });
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

  test("that waits for a credential starts when it comes, with it in the agent's environment and nowhere on the wire", async () => {
    hub.manners = { capabilities: ["task_ack", "token_refresh"] };
    relay.start({
      NEST_HUB: hub.address,
      NEST_AGENT_COMMAND: fakeAgent("agent-tells-environment"),
      GH_TOKEN: "ghp_mine_mine_mine",
    });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    await visit.next("task_accepted");
    visit.say({ type: "token_refresh", github_token: "ghs_task_task_task", token_expires_at: "2026-01-01T00:55:00Z" });
    await visit.next("task_complete");
    const folders = join(relay.home, "workspaces");
    const { readdir } = await import("node:fs/promises");
    const [folder] = await readdir(folders);
    const transcript = await readFile(join(folders, folder!, "transcript.log"), "utf8");
    expect(transcript).toContain("GH_TOKEN=ghs_task_task_task");
    expect(transcript).not.toContain("ghp_mine_mine_mine");
    expect(transcript).not.toContain(TOKEN);
    const wire = visit.frames.slice(1).join("\n");
    for (const secret of [TOKEN, "ghs_task_task_task", "ghp_mine_mine_mine"]) expect(wire).not.toContain(secret);
    expect(relay.said).not.toContain("ghs_task_task_task");
    expect(relay.said).not.toContain(TOKEN);
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

describe("interactive mode", () => {
  test("works a task at a terminal and reports it; SIGTERM leaves neither agent nor multiplexer", async () => {
    const child = relay.start({
      NEST_HUB: hub.address,
      CONTRIBUTOR_MODE: "interactive",
      NEST_AGENT_COMMAND: fakeAgent("agent-at-terminal"),
    });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask({ prompt: "Work on it.\nEnd with NEST_VERDICT: complete\nend of prompt" }));
    expect(await visit.next("task_complete", 20_000)).toMatchObject({
      verdict: "shipped",
      pr_url: "https://github.com/acme/web/pull/13",
    });
    await visit.next("ready");
    const [, socket] = /tmux -L (\S+) attach/.exec(relay.said) ?? [];
    child.kill("SIGTERM");
    expect(await RelayHere.exit(child)).toBe(0);
    const { execFileSync } = await import("node:child_process");
    expect(() => execFileSync("tmux", ["-L", String(socket), "ls"], { stdio: "pipe" })).toThrow();
  });
});

describe("every backend without a real CLI here, by a fixture", () => {
  test.each(["goose", "litellm", "agy"])("%s works a task without a terminal", async (backend) => {
    relay.start({ NEST_HUB: hub.address, AGENT_BACKEND: backend, AGENT_MODEL: "m-1" });
    const visit = await hub.visit();
    expect(visit.heard[0]).toMatchObject({ cli_backend: backend, model: "m-1" });
    await visit.next("ready");
    visit.say(aTask());
    expect(await visit.next("task_complete")).toMatchObject({ verdict: "shipped" });
  });

  test.each([
    ["aider", {}],
    ["bob", { FAKE_LEAVES: "0" }],
    ["agy", {}],
    ["goose", {}],
  ] as [string, Record<string, string>][])("%s works a task at a terminal", async (backend, more) => {
    relay.start({
      NEST_HUB: hub.address,
      AGENT_BACKEND: backend,
      CONTRIBUTOR_MODE: "interactive",
      NEST_AGENT_COMMAND: fakeAgent("agent-at-terminal"),
      NEST_AGENT_ENV: "FAKE_LEAVES",
      ...more,
    });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask({ prompt: "Work on it.\nEnd with NEST_VERDICT: complete\nend of prompt" }));
    expect(await visit.next("task_complete", 20_000)).toMatchObject({ result: "completed" });
  });

  test("litellm's endpoint and key reach the agent, never the hub", async () => {
    relay.start({
      NEST_HUB: hub.address,
      AGENT_BACKEND: "litellm",
      NEST_AGENT_COMMAND: fakeAgent("agent-tells-environment"),
      NEST_LITELLM_ENDPOINT: "http://127.0.0.1:4000/mine",
      NEST_LITELLM_API_KEY: "sk-litellm-very-secret",
    });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    await visit.next("task_complete");
    const { readdir } = await import("node:fs/promises");
    const [folder] = await readdir(join(relay.home, "workspaces"));
    const transcript = await readFile(join(relay.home, "workspaces", folder!, "transcript.log"), "utf8");
    expect(transcript).toContain("ANTHROPIC_API_KEY=sk-litellm-very-secret");
    expect(transcript).toContain("ANTHROPIC_BASE_URL=http://127.0.0.1:4000/mine");
    expect(visit.frames.join("")).not.toContain("very-secret");
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
    // Bounds of 10, 20, 40 … 600 ms: were the backoff started over at each acceptance, hundreds would come.
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
    // Under this clock 30 s are the shortest that a transport time can be: 2 s.
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
    expect((await visit.closed).code).toBe(1000);
    expect(await RelayHere.exit(child)).toBe(0);
    expect(Date.now() - told).toBeLessThan(8000);
    expect(await isRunning(pid)).toBe(false);
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

describe("the handshake", () => {
  test("declares backend, model, versions, additions and facts", async () => {
    relay.start({
      NEST_HUB: hub.address,
      AGENT_MODEL: "claude-sonnet-5",
      NEST_CONTAINER_RUNTIME: "podman",
      GH_TOKEN: "ghp_x_x_x_x_x",
    });
    const visit = await hub.visit();
    expect(visit.heard[0]).toMatchObject({
      registration_token: TOKEN,
      cli_backend: "claude",
      model: "claude-sonnet-5",
      protocol_version: "1.2",
      relay_protocol_version: "1.2",
      capabilities: {
        container_runtime: "podman",
        os: process.platform,
        arch: process.arch,
        agent_cli_version: "agent-ok 1.2.3",
        credential_type: "pat",
        relay_capabilities: ["task_ack", "task_declined", "task_push", "withheld_counts"],
      },
    });
  });

  test("gives a proof in place of the token where the hub takes one and the identity is known", async () => {
    hub.manners = { challenge: ["auth_proof"] };
    relay.start({ NEST_HUB: hub.address, NEST_CONTRIBUTOR_ID: "c-0a1b2c3d4e5f" });
    const visit = await hub.visit();
    const { authProof } = await import("./session/auth.ts");
    expect(visit.heard[0]).toMatchObject({ contributor_id: "c-0a1b2c3d4e5f", auth_proof: authProof(TOKEN, hub.nonce) });
    expect(visit.frames.join("")).not.toContain(TOKEN);
  });

  test("refused for the model prints the accepted ones and exits 1", async () => {
    hub.manners = {
      refuse: { type: "auth_failed", reason: "model not accepted", accepted_models: ["claude-*", "/^gpt-5/"] },
    };
    const child = relay.start({ NEST_HUB: hub.address, AGENT_MODEL: "other" });
    expect(await RelayHere.exit(child)).toBe(1);
    expect(relay.said).toContain("model not accepted");
    expect(relay.said).toContain("claude-*, /^gpt-5/");
    expect(await relay.status()).toMatchObject({ state: "refused" });
  });

  test("refused for the token exits 1 and does not repeat the token", async () => {
    hub.manners = { refuse: { type: "auth_failed", reason: `invalid token ${TOKEN}` } };
    const child = relay.start({ NEST_HUB: hub.address });
    expect(await RelayHere.exit(child)).toBe(1);
    expect(relay.said).toContain("invalid token [secret]");
    expect(relay.said).not.toContain(TOKEN);
  });

  test("that only timed out is tried again", async () => {
    hub.manners = { refuse: { type: "auth_failed", reason: "authentication timeout" } };
    relay.start({ NEST_HUB: hub.address });
    await hub.visit();
    hub.manners = {};
    await (await hub.visit()).next("ready");
  });

  test.each([
    ["1.0", "older"],
    ["1.1", "older"],
    ["1.3", "newer"],
    ["2.0", "incompatible"],
  ])("with a hub of protocol %s says once that it is %s, and works", async (protocolVersion, word) => {
    hub.manners = { protocolVersion };
    relay.start({ NEST_HUB: hub.address });
    (await hub.visit()).cut();
    await (await hub.visit()).next("ready");
    const host = new URL(hub.address).host;
    const line = `hub ${host} speaks protocol ${protocolVersion} (${word}), this relay 1.2`;
    expect(relay.said.split(line).length - 1).toBe(1);
  });
});

describe("a hub that states", () => {
  test.each([
    ["the same version", "1.2"],
    ["no version", undefined],
    ["what is no version", "one"],
  ])("%s is worked for without a word about it", async (_, protocolVersion) => {
    hub.manners = { protocolVersion };
    relay.start({ NEST_HUB: hub.address });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    await visit.next("task_complete");
    expect(relay.said).not.toContain("speaks protocol");
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

describe("bad configuration", () => {
  test.each([
    [{ NEST_HUB: "ws://a,ws://b" }, "NEST_REGISTRATION_TOKEN: 1 token(s) for 2 hub(s)"],
    [{ NEST_HUB: "ws://a", AGENT_BACKEND: "abacus" }, 'AGENT_BACKEND: unknown backend "abacus"'],
    [{ NEST_HUB: "ws://a", CONTRIBUTOR_MODE: "loud" }, "CONTRIBUTOR_MODE: must be interactive or headless"],
    [{ NEST_HUB: "gopher://a" }, "NEST_HUB: "],
    [{ NEST_HUB: "wss://hub.example", NEST_TEST_CLOCK_SCALE: "100" }, "NEST_TEST_CLOCK_SCALE: for tests only"],
    [{}, "NEST_HUB: missing"],
    [{ NEST_HUB: "ws://a", NEST_REGISTRATION_TOKEN: "" }, "NEST_REGISTRATION_TOKEN: missing"],
  ] as [Record<string, string>, string][])("%j exits 2 and says why", async (environment, line) => {
    const child = relay.start(environment);
    expect(await RelayHere.exit(child)).toBe(2);
    expect(relay.said).toContain(`nest relay: error: ${line}`);
  });

  test("in contributor.env is named by file and line, and nothing of the file is executed", async () => {
    const { mkdir } = await import("node:fs/promises");
    const folder = join(relay.home, ".config/nest");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "contributor.env"), `# mine\nNEST_HUB=ws://a\n$(touch ${relay.home}/executed)\n`);
    const child = relay.start();
    expect(await RelayHere.exit(child)).toBe(2);
    expect(relay.said).toContain("contributor.env:3: not a KEY=VALUE line");
    await expect(readFile(join(relay.home, "executed"))).rejects.toThrow("ENOENT");
  });

  test("is none when contributor.env holds hub and token, and the old names are used", async () => {
    const { mkdir } = await import("node:fs/promises");
    const folder = join(relay.home, ".config/nest");
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, "contributor.env"),
      `HIVE_HUB='${hub.address}'\r\nHIVE_REGISTRATION_TOKEN="${TOKEN}"\n`,
    );
    relay.start({ NEST_REGISTRATION_TOKEN: "" });
    await (await hub.visit()).next("ready");
  });
});
