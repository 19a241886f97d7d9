import { chmod, copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeAgent, RelayHere, until } from "./testing/relay-here.ts";
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

/** A minute between two looks becomes 0.6 s. */
const QUICK = { NEST_TEST_CLOCK_SCALE: "100" };

const welcomed = () => until(() => relay.said.includes('"msg":"connected"'), "the hub has welcomed the relay");

describe("a backend that cannot work", () => {
  test.each([
    ["its program is not there", { NEST_AGENT_COMMAND: "/nowhere/agent" }, "agent command not found: /nowhere/agent"],
    ["it has no headless mode", { AGENT_BACKEND: "aider" }, "backend aider has no headless mode"],
    ["tmux is not there", { CONTRIBUTOR_MODE: "interactive", PATH: "/nowhere" }, "tmux is not installed"],
  ] as [string, Record<string, string>, string][])(
    "because %s asks for no work, declines what comes, and says why to person and hub",
    async (_, environment, why) => {
      relay.start({ NEST_HUB: hub.address, ...QUICK, ...environment });
      const visit = await hub.visit();
      expect(visit.heard[0]).toMatchObject({ capabilities: { trouble: expect.stringContaining(why) } });
      await welcomed();
      visit.say(aTask());
      expect(await visit.next("task_declined")).toMatchObject({
        reason: "backend_unavailable",
        message: expect.stringContaining(why),
      });
      expect(relay.said).toContain(`no work is asked for: ${why}`);
      // Three looks later it is the same.
      await new Promise((resolve) => setTimeout(resolve, 2000));
      expect([visit.count("ready"), visit.count("task_accepted"), visit.count("task_failed")]).toEqual([0, 0, 0]);
      if (environment.CONTRIBUTOR_MODE !== "interactive")
        await until(async () => String((await relay.status()).reason).includes(why), "the status file says why");
    },
  );

  test("fails what comes as the environment's where the hub knows no declining, never for good", async () => {
    hub.manners = { capabilities: ["task_ack"] };
    relay.start({ NEST_HUB: hub.address, AGENT_BACKEND: "aider" });
    const visit = await hub.visit();
    await welcomed();
    visit.say(aTask());
    const failed = await visit.next("task_failed");
    expect(failed).toMatchObject({ failure_kind: "environment", reason: "backend aider has no headless mode" });
    expect(failed).not.toHaveProperty("permanent", true);
    expect(visit.count("task_accepted")).toBe(0);
  });

  test("is looked at again every minute, and works once its program is there", async () => {
    const command = join(relay.home, "my-agent");
    relay.start({ NEST_HUB: hub.address, ...QUICK, NEST_AGENT_COMMAND: command });
    const visit = await hub.visit();
    await until(() => relay.said.includes("agent command not found"), "it says what is missing");
    await copyFile(fakeAgent("agent-ok"), command);
    await chmod(command, 0o755);
    await visit.next("ready");
    visit.say(aTask());
    expect(await visit.next("task_complete")).toMatchObject({ verdict: "shipped" });
  });

  test("whose program has gone since declines, before it accepts", async () => {
    const command = join(relay.home, "my-agent");
    await copyFile(fakeAgent("agent-ok"), command);
    await chmod(command, 0o755);
    relay.start({ NEST_HUB: hub.address, NEST_AGENT_COMMAND: command });
    const visit = await hub.visit();
    await visit.next("ready");
    await rm(command);
    visit.say(aTask());
    expect(await visit.next("task_declined")).toMatchObject({ reason: "backend_unavailable" });
  });

  test("because its real program is not there (exit 127) spoils one task, and asks for no other", async () => {
    // The agent has a minute to show that it works: 6 s here, for a loaded machine may take more than one to start a program.
    const scale = { NEST_TEST_CLOCK_SCALE: "10" };
    relay.start({ NEST_HUB: hub.address, ...scale, NEST_AGENT_COMMAND: fakeAgent("agent-exits-127") });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    const failed = await visit.next("task_failed");
    expect(failed).toMatchObject({ failure_kind: "environment" });
    expect(failed).not.toHaveProperty("permanent", true);
    visit.say(aTask({ task_id: "second", task_gen: 42 }));
    expect(await visit.next("task_declined")).toMatchObject({
      task_id: "second",
      message: "agent command not found (exit 127)",
    });
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(visit.count("ready")).toBe(1);
  });

  test("because its login has run out waits for the login, and asks again when the agent works", async () => {
    const [login, runs] = [join(relay.home, "login"), join(relay.home, "runs")];
    relay.start({
      NEST_HUB: hub.address,
      ...QUICK,
      NEST_AGENT_COMMAND: fakeAgent("agent-needs-login"),
      FAKE_LOGIN_FILE: login,
      FAKE_RUNS_FILE: runs,
    });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(aTask());
    const failed = await visit.next("task_failed");
    expect(failed.reason).toContain("the agent needs a login");
    expect(failed).not.toHaveProperty("permanent", true);
    await until(async () => (await relay.status()).reason === "the agent needs a login", "the status file says why");
    await until(async () => (await readFile(runs, "utf8")).split("\n").length > 3, "it was looked at again twice");
    expect(visit.count("ready")).toBe(1);
    await writeFile(login, "");
    await visit.next("ready");
    visit.say(aTask({ task_id: "second", task_gen: 42 }));
    await visit.next("task_complete");
  });
});
