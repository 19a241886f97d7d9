import { readFile } from "node:fs/promises";
import { join } from "node:path";
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

const HANDS_OUT = ["task_ack", "task_declined", "token_refresh"];
const MAY_PUSH = ["issues:write", "contents:write", "pulls:write"];
const telling = { NEST_AGENT_COMMAND: fakeAgent("agent-tells-environment") };
const refresh = { type: "token_refresh", github_token: "ghs_task_task_task", token_expires_at: "2026-01-01T00:55:00Z" };

async function worked(environment: Record<string, string>) {
  relay.start({ NEST_HUB: hub.address, ...telling, ...environment });
  const visit = await hub.visit();
  await visit.next("ready");
  visit.say(aTask());
  await visit.next("task_accepted");
  visit.say(refresh);
  await visit.next("task_complete");
  return visit;
}

describe("a task's credential", () => {
  test("that can push and open pull requests replaces the contributor's own login, and is nowhere on the wire", async () => {
    hub.manners = { capabilities: HANDS_OUT, permissions: MAY_PUSH };
    const visit = await worked({ GH_TOKEN: "ghp_mine_mine_mine" });
    const environment = await relay.agentsEnvironment();
    expect(environment).toMatchObject({ GH_TOKEN: "ghs_task_task_task", GITHUB_TOKEN: "ghs_task_task_task" });
    expect(environment.GIT_CONFIG_KEY_1).toContain("credential.");
    const everything = JSON.stringify(environment);
    for (const secret of [TOKEN, "ghp_mine_mine_mine"]) expect(everything).not.toContain(secret);
    const wire = visit.frames.slice(1).join("\n");
    for (const secret of [TOKEN, "ghs_task_task_task", "ghp_mine_mine_mine"]) {
      expect(wire).not.toContain(secret);
      expect(relay.said).not.toContain(secret);
    }
  });

  test.each([[["issues:write"]], [["issues:write", "contents:write"]], [["issues:write", "pulls:write"]]])(
    "that may only %j lies beside the contributor's own login, and the agent is told which does what",
    async (permissions) => {
      hub.manners = { capabilities: HANDS_OUT, permissions };
      await worked({ GH_TOKEN: "ghp_mine_mine_mine" });
      const environment = await relay.agentsEnvironment();
      expect(environment).toMatchObject({ GH_TOKEN: "ghp_mine_mine_mine", NEST_TASK_TOKEN: "ghs_task_task_task" });
      expect(environment).not.toHaveProperty("GITHUB_TOKEN");
      expect(environment).not.toHaveProperty("GIT_CONFIG_KEY_1");
      const said = await relay.transcripts();
      expect(said).toContain("push and open the pull request with the login that git and gh have on this machine");
      expect(said).toContain(permissions.join(", "));
    },
  );

  test("that may push since the contributor's promotion replaces their own login, and no longer lies beside it", async () => {
    hub.manners = { capabilities: HANDS_OUT, permissions: ["issues:write"] };
    relay.start({ NEST_HUB: hub.address, ...telling, GH_TOKEN: "ghp_mine_mine_mine" });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    await visit.next("task_accepted");
    visit.say({ ...refresh, permissions: MAY_PUSH });
    await visit.next("task_complete");
    expect(await relay.agentsEnvironment()).toMatchObject({ GH_TOKEN: "ghs_task_task_task" });
  });

  test("is in no transcript, and neither is any other secret of the agent's environment", async () => {
    hub.manners = { capabilities: HANDS_OUT, permissions: ["issues:write"] };
    await worked({
      GH_TOKEN: "ghp_mine_mine_mine",
      AGENT_BACKEND: "litellm",
      NEST_LITELLM_ENDPOINT: "https://ada:pa%24s@llm.example/v1",
      NEST_LITELLM_API_KEY: "sk-litellm-very-secret",
    });
    const said = await relay.transcripts();
    expect(said).toContain("NEST_TASK_TOKEN=[secret]");
    for (const secret of ["ghs_task_task_task", "ghp_mine_mine_mine", "sk-litellm-very-secret", "ada:pa%24s"])
      expect(said).not.toContain(secret);
    expect((await relay.agentsEnvironment()).ANTHROPIC_BASE_URL).toBe("https://ada:pa%24s@llm.example/v1");
  });

  test("of more than one line is none: the agent works with the contributor's own login", async () => {
    hub.manners = { capabilities: HANDS_OUT, permissions: MAY_PUSH };
    relay.start({ NEST_HUB: hub.address, ...telling, GH_TOKEN: "ghp_mine_mine_mine" });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    await visit.next("task_accepted");
    visit.say({ ...refresh, github_token: "ghs_task_task\nhost=evil.example" });
    await visit.next("task_complete");
    expect(await relay.agentsEnvironment()).toMatchObject({ GH_TOKEN: "ghp_mine_mine_mine" });
    expect(relay.said).toContain("what it sent is no credential");
  });

  test("that the hub cannot make is not waited for: the agent works with the contributor's own login, and it is said why", async () => {
    hub.manners = { capabilities: HANDS_OUT, permissions: MAY_PUSH };
    relay.start({ NEST_HUB: hub.address, ...telling, GH_TOKEN: "ghp_mine_mine_mine" });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    await visit.next("task_accepted");
    visit.say({ type: "token_refresh_failed", task_id: "of-another-task", reason: "not this one" });
    visit.say({ type: "token_refresh_failed", task_id: String(aTask().task_id), reason: "the code host answered 403" });
    // A wait for the credential would last 60 s.
    await visit.next("task_complete");
    expect(relay.said).toContain(
      "could not make a credential for this task (the code host answered 403); the agent works with your own login",
    );
    expect(relay.said).not.toContain("not this one");
    expect(await relay.agentsEnvironment()).toMatchObject({ GH_TOKEN: "ghp_mine_mine_mine" });
  });
});

describe("a contributor without a login of their own", () => {
  test("whose tier's credential cannot push is told before the first task, is asked for none, and is once there is a login", async () => {
    hub.manners = { capabilities: HANDS_OUT, permissions: ["issues:write"] };
    relay.start({ NEST_HUB: hub.address, ...telling, NEST_TEST_CLOCK_SCALE: "100" });
    const visit = await hub.visit();
    await until(() => relay.said.includes("gh auth login, or set GH_TOKEN"), "the person was told");
    expect(relay.said).toContain("can neither push nor open a pull request");
    visit.say(aTask());
    expect(await visit.next("task_declined")).toMatchObject({
      reason: "no_login",
      message: expect.stringContaining("not signed in to the code host"),
    });
    await until(
      async () => String((await relay.status()).reason).includes("not signed in"),
      "the status file says why",
    );
    expect(visit.count("ready")).toBe(0);
    const { mkdir, writeFile } = await import("node:fs/promises");
    await mkdir(join(relay.home, ".config/gh"), { recursive: true });
    await writeFile(join(relay.home, ".config/gh/hosts.yml"), "github.com:\n    user: ada\n");
    await visit.next("ready");
    await until(async () => (await relay.status()).reason === undefined, "the reason is gone");
  });

  test("is asked for work once a promotion is told", async () => {
    hub.manners = { capabilities: HANDS_OUT, permissions: ["issues:write"] };
    relay.start({ NEST_HUB: hub.address, ...telling });
    const visit = await hub.visit();
    await until(() => relay.said.includes("gh auth login, or set GH_TOKEN"), "the person was told");
    expect(visit.count("ready")).toBe(0);
    visit.say({ type: "notice", message: "your trust tier is now contributor", permissions: MAY_PUSH });
    await visit.next("ready");
  });

  test("works with a credential that can push", async () => {
    hub.manners = { capabilities: HANDS_OUT, permissions: MAY_PUSH };
    await worked({});
    expect(await relay.agentsEnvironment()).toMatchObject({ GH_TOKEN: "ghs_task_task_task" });
    const context = await readFile(join(relay.home, "contributor-task.json"), "utf8").catch(() => "gone");
    expect(context).toBe("gone");
  });
});
