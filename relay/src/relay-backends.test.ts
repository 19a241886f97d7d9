import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeAgent, RelayHere } from "./testing/relay-here.ts";
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
    expect(() => execFileSync("tmux", ["-L", String(socket), "ls"], { stdio: "pipe" })).toThrow();
  });
});

describe("the printed command that attaches", () => {
  test("works before the first task, also where the contributor's own tmux keeps its servers elsewhere", async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), "nest-tmux-"));
    const child = relay.start({ NEST_HUB: hub.address, CONTRIBUTOR_MODE: "interactive", TMUX_TMPDIR: elsewhere });
    await (await hub.visit()).next("ready");
    const [, printed = ""] = /watch the agent with: (.+) attach -t contributor/.exec(relay.said) ?? [];
    // As the contributor's shell would take it: words, nothing else.
    const [program = "", ...words] = printed.split(" ");
    const show = () =>
      execFileSync(program, [...words, "capture-pane", "-p", "-t", "contributor"], {
        env: { PATH: process.env.PATH, TMUX_TMPDIR: elsewhere },
        encoding: "utf8",
      });
    await expect.poll(show).toContain("there is no task yet. The agent starts here when one comes.");
    child.kill("SIGTERM");
    expect(await RelayHere.exit(child)).toBe(0);
    await rm(elsewhere, { recursive: true });
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

  test("goose is given the model that was declared, and a local one where nothing was chosen", async () => {
    const told = { NEST_HUB: hub.address, AGENT_BACKEND: "goose" };
    const tells = { NEST_AGENT_COMMAND: fakeAgent("agent-tells-environment") };
    relay.start({ ...told, ...tells, AGENT_MODEL: "m-1" });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    await visit.next("task_complete");
    expect(await relay.agentsEnvironment()).toMatchObject({ GOOSE_MODEL: "m-1", GOOSE_PROVIDER: "ollama" });
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
    expect(await relay.agentsEnvironment()).toMatchObject({
      ANTHROPIC_API_KEY: "sk-litellm-very-secret",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:4000/mine",
    });
    expect(await relay.transcripts()).not.toContain("very-secret");
    expect(visit.frames.join("")).not.toContain("very-secret");
  });
});
