import { readFile, stat, writeFile } from "node:fs/promises";
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

async function sessionOf(visit: { heard: readonly object[] }): Promise<string> {
  return (visit.heard[0] as { session: string }).session;
}

describe("a relay's session name", () => {
  test("is the same after a restart, and after kill -9", async () => {
    const names: string[] = [];
    for (const signal of ["SIGTERM", "SIGKILL", "SIGTERM"] as const) {
      const child = relay.start({ NEST_HUB: hub.address });
      const visit = await hub.visit();
      names.push(await sessionOf(visit));
      await visit.next("ready");
      child.kill(signal);
      await RelayHere.exit(child);
    }
    expect(new Set(names).size).toBe(1);
    expect((await stat(join(relay.home, ".local/state/nest/session"))).mode & 0o777).toBe(0o600);
    expect((await readFile(join(relay.home, ".local/state/nest/session"), "utf8")).trim()).toBe(names[0]);
  });

  test("is another one for a second relay on the same state folder, with files of its own", async () => {
    relay.start({ NEST_HUB: hub.address, NEST_AGENT_COMMAND: fakeAgent("agent-never-ends") });
    const one = await hub.visit();
    await one.next("ready");
    relay.start({ NEST_HUB: hub.address, NEST_AGENT_COMMAND: fakeAgent("agent-never-ends") });
    const two = await hub.visit();
    await two.next("ready");
    expect(await sessionOf(two)).toBe(`${await sessionOf(one)}-2`);
    one.say(aTask({ task_id: "first" }));
    two.say(aTask({ task_id: "second" }));
    const idIn = async (name: string) =>
      JSON.parse(await readFile(join(relay.home, name), "utf8").catch(() => "{}")).task_id as string | undefined;
    await until(async () => (await idIn("contributor-task.json")) === "first", "the first one's context is there");
    await until(async () => (await idIn("contributor-task-2.json")) === "second", "the second one's too");
    two.say({ type: "task_revoke", task_id: "second", reason: "yanked" });
    await two.next("ready");
    expect(await idIn("contributor-task.json")).toBe("first");
    expect(await idIn("contributor-headless-status.json")).toBe("first");
    const isFree = async () => (await idIn("contributor-headless-status-2.json")) === undefined;
    await until(isFree, "the second one's status says that it waits");
  });

  test("is NEST_SESSION where that is set", async () => {
    relay.start({ NEST_HUB: hub.address, NEST_SESSION: "laptop_1" });
    expect(await sessionOf(await hub.visit())).toBe("laptop_1");
  });

  test.each(["a b", "../x", "ä", "x".repeat(65)])("%j is none: exit 2, and the variable is named", async (name) => {
    const child = relay.start({ NEST_HUB: hub.address, NEST_SESSION: name });
    expect(await RelayHere.exit(child)).toBe(2);
    expect(relay.said).toContain("nest relay: error: NEST_SESSION: ");
  });
});

describe("reports of relays on one state folder", () => {
  test("that wait are the business of the relay that made them, until it is gone", async () => {
    const first = relay.start({ NEST_HUB: hub.address });
    const one = await hub.visit();
    await one.next("ready");
    one.say(aTask({ task_id: "of-the-first" }));
    await one.next("task_complete");
    const second = relay.start({ NEST_HUB: hub.address });
    const two = await hub.visit();
    await two.next("ready");
    expect(two.count("task_complete")).toBe(0);
    first.kill("SIGKILL");
    await RelayHere.exit(first);
    two.cut();
    const again = await hub.visit();
    expect(await again.next("task_complete")).toMatchObject({ task_id: "of-the-first", verdict: "shipped" });
    expect(second.exitCode).toBeNull();
  });

  test("that the disk does not take are kept in memory, and sent again", async () => {
    relay.start({ NEST_HUB: hub.address, FAKE_SECONDS: "1" });
    const one = await hub.visit();
    await one.next("ready");
    one.say(aTask({ task_id: "unsaved" }));
    await one.next("task_accepted");
    // A file where the folder should be.
    await writeFile(join(relay.home, ".local/state/nest/outbox"), "");
    hub.manners = { silent: true };
    one.cut();
    await until(() => relay.said.includes("the outbox cannot be written"), "the report was made");
    hub.manners = {};
    for (const visit of hub.visits) visit.cut();
    let report: unknown;
    for (let tries = 0; report === undefined && tries < 8; tries += 1) {
      const visit = await hub.visit().catch(() => undefined);
      report = await visit?.next("task_complete", 1500).catch(() => undefined);
    }
    expect(report).toMatchObject({ task_id: "unsaved", verdict: "shipped" });
  });
});
