import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeAgent, RelayHere, until } from "./testing/relay-here.ts";
import { aTask, ScriptedHub } from "./testing/scripted-hub.ts";

/** Hubs from before versions: they announce nothing, give no generations, and are silent when they have no work. */
let hub: ScriptedHub;
let relay: RelayHere;

beforeEach(async () => {
  hub = await ScriptedHub.start({ capabilities: [], protocolVersion: undefined });
  relay = await RelayHere.make();
});
afterEach(async () => {
  await relay[Symbol.asyncDispose]();
  await hub.stop();
});

const ungenerated = () => aTask({ task_gen: undefined });

describe("a task without a generation", () => {
  test("is worked, and no report about it carries one; the terminal's end is a list of lines", async () => {
    relay.start({ NEST_HUB: hub.address });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say(ungenerated());
    await visit.next("task_accepted");
    const report = await visit.next("task_complete");
    expect(report).toMatchObject({ result: "completed", verdict: "shipped" });
    for (const text of visit.frames) expect(text).not.toContain("task_gen");
    const raw = JSON.parse(visit.frames.find((text) => text.includes("task_complete")) ?? "{}") as object;
    expect(raw).toMatchObject({ tmux_output: expect.arrayContaining(["NEST_VERDICT: complete"]) });
  });

  test("is resumed after a lost connection without one", async () => {
    relay.start({ NEST_HUB: hub.address, NEST_AGENT_COMMAND: fakeAgent("agent-never-ends") });
    const first = await hub.visit();
    await first.next("ready");
    first.say(ungenerated());
    await first.next("task_accepted");
    first.cut();
    const second = await hub.visit();
    expect(await second.next("task_accepted")).not.toHaveProperty("task_gen");
    const claim = await second.next("task_progress");
    expect(claim).toMatchObject({ repo: "acme/web", number: 12, kind: "issue" });
    expect(claim).not.toHaveProperty("task_gen");
  });

  test.each([0, -1, 1.5, "41", null])("is not one whose generation is %j: that is malformed", async (task_gen) => {
    relay.start({ NEST_HUB: hub.address });
    const visit = await hub.visit();
    await visit.next("ready");
    visit.say({ ...aTask({ task_id: "bad" }), task_gen });
    visit.say(aTask({ task_id: "good", task_gen: undefined }));
    expect((await visit.next("task_accepted")).task_id).toBe("good");
  });
});

test("a hub that says nothing to a ready is asked again after a minute", async () => {
  relay.start({ NEST_HUB: hub.address, NEST_TEST_CLOCK_SCALE: "30" });
  const visit = await hub.visit();
  await visit.next("ready");
  await visit.next("ready", 8000);
});

test("a relay whose token has worked goes on when a hub under load calls it invalid after a restart", async () => {
  const child = relay.start({ NEST_HUB: hub.address });
  await (await hub.visit()).next("ready");
  const remembered = () => readFile(join(relay.home, ".local/state/nest/accepted-logins"), "utf8").catch(() => "");
  await until(async () => (await remembered()) !== "", "the login is remembered");
  child.kill("SIGKILL");
  await RelayHere.exit(child);
  const { manners } = hub;
  hub.manners = { refuse: { type: "auth_failed", reason: "Invalid registration token" } };
  relay.start({ NEST_HUB: hub.address });
  await hub.visit();
  hub.manners = manners;
  await (await hub.visit()).next("ready");
  expect(relay.said).toContain("refused: Invalid registration token");
});
