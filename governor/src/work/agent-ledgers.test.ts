import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom, silentLog, VirtualClock } from "@nest/kit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AgentLedgers } from "./agent-ledgers.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-agent-ledgers-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("one agent's broken ledger lifts nothing that the others' say, and counts as a problem", async () => {
  const deps = { folder, clock: new VirtualClock(), random: seededRandom(1), log: silentLog() };
  const ledgers = new AgentLedgers({ ...deps, agents: () => ["broken", "well"] });
  // A folder in the place of its log.
  await mkdir(join(folder, "broken", "log-00000001.jsonl"), { recursive: true });
  const well = await ledgers.of("well");
  const first = await well.create({ title: "first" });
  await well.create({ title: "then", external_ref: "acme/web#7", depends_on: [first.id] });
  expect([...(await ledgers.blockedIssues())]).toEqual(["acme/web#7"]);
  expect(await ledgers.problems()).toBeGreaterThan(0);
  await well.close(first.id);
  expect([...(await ledgers.blockedIssues())]).toEqual([]);
  await ledgers.close();
});
