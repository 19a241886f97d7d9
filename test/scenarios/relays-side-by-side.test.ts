import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@nest/kit";
import { startLocalCodeHost } from "@nest/local-codehost";
import type { contribute } from "@nest/protocol";
import { expect, test } from "vitest";
import { FolderHere } from "../harness/folder-here.ts";
import { HubProcess, UNLIMITED } from "../harness/hub-process.ts";
import { plainSeed } from "../harness/plain-seed.ts";
import { RelayProcess } from "../harness/relay-process.ts";

const TOKEN = "hub-token-of-the-test";
const CLOCK_SCALE = 60;
const TASKS = 12;

test("two relays of one contributor on one machine and state folder work side by side, and lose nothing of each other's", async () => {
  await using folder = await FolderHere.make("side");
  const home = folder.in("home");
  await mkdir(home);
  const codeHost = await startLocalCodeHost({
    dataDir: folder.in("codehost"),
    clock: systemClock(),
    seed: plainSeed(TOKEN, ["acme/one"], 60),
  });
  await using hub = await HubProcess.start({
    folder: folder.in("hub"),
    apiUrl: codeHost.apiUrl,
    repos: ["acme/one"],
    token: TOKEN,
    contribute: UNLIMITED,
    clockScale: CLOCK_SCALE,
    evalIntervalS: 86_400,
  });
  await hub.refresh();
  const { registration_token: token } = await hub.register("ada");
  const relayOf = () =>
    new RelayProcess({
      folder: home,
      socket: hub.socket,
      token,
      agent: join(import.meta.dirname, "../fakes/bin/agent-ok"),
      codeHostUrl: codeHost.url,
      environment: {
        NEST_TEST_CLOCK_SCALE: String(CLOCK_SCALE),
        NEST_AGENT_ENV: "FAKE_SECONDS,FAKE_REPO",
        FAKE_SECONDS: "1",
        FAKE_REPO: "acme/one",
      },
    });
  {
    await using one = relayOf();
    await using two = relayOf();
    const done = async () => (await hub.activity()).filter(({ action }) => action.startsWith("completed"));
    const message = () => `${one.process.said}\n${two.process.said}`;
    await expect
      .poll(async () => (await done()).length, { timeout: 50_000, message: message() })
      .toBeGreaterThanOrEqual(TASKS);
    const { clankers } = await hub.call<contribute.FleetReply>("GET", "/api/contribute/fleet");
    const names = clankers.map((clanker) => (clanker as { session?: string }).session);
    expect(new Set(names).size).toBe(2);
    const tasksOf = (relay: RelayProcess) => relay.process.said.match(/"msg":"task done/g)?.length ?? 0;
    expect(tasksOf(one)).toBeGreaterThan(1);
    expect(tasksOf(two)).toBeGreaterThan(1);
    const issuesDone = (await done()).map(({ task }) => task);
    expect(new Set(issuesDone).size).toBe(issuesDone.length);
    const lost = (await hub.activity()).filter(({ action }) =>
      /^(?:released|lease expired|failed|reassigned)/.test(action),
    );
    expect(lost).toEqual([]);
    expect(message()).not.toContain("the hub took the task back");
  }
  await codeHost.close();
}, 90_000);
