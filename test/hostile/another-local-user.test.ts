import { chmod, chown, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBubblewrap } from "@nest/agents";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AgentScene } from "../harness/agent-scene.ts";
import { readableByOthers } from "../harness/process-here.ts";

/** User ids of two people: one runs the relay, the other works on the same machine. */
const [CONTRIBUTOR, STRANGER] = [61_004, 61_005];
const NAMES = ["contributor-task.json", "contributor-headless-status.json"];
const confined = "works" in (await findBubblewrap(process.env.PATH));

let shared: string;

beforeEach(async () => {
  shared = await mkdtemp(join(tmpdir(), "nest-shared-"));
  await chmod(shared, 0o1777);
});
afterEach(() => rm(shared, { recursive: true, force: true }));

describe
  .runIf(process.getuid?.() === 0)
  .each([
    { walls: "without walls", sandbox: "off" },
    ...(confined ? [{ walls: "within walls", sandbox: "bubblewrap" }] : []),
  ])("files of another user in the temporary folder, the agent $walls", ({ sandbox }) => {
  test("stop no task, and are not what the agent reads; the contributor is told at the start", async ({ skip }) => {
    if (!(await readableByOthers())) return skip("other users cannot read this checkout");
    for (const name of NAMES) {
      await writeFile(join(shared, name), '"planted by a stranger"', { mode: 0o644 });
      await chown(join(shared, name), STRANGER, STRANGER);
    }
    await using scene = await AgentScene.set("hostile", {
      script: `[ "$1" = --version ] && { echo "1.2.3"; exit 0; }
        cat "$NEST_TASK_CONTEXT_FILE"; echo "NEST_VERDICT: no_work_needed"`,
      environment: { TMPDIR: shared, NEST_SANDBOX: sandbox, PATH: "/usr/local/bin:/usr/bin:/bin" },
      user: CONTRIBUTOR,
    });
    const printed = await scene.transcripts();
    expect(printed).toContain('"repo": "acme/one"');
    expect(printed).not.toContain("planted");
    expect((await scene.hub.activity()).filter(({ action }) => action.startsWith("failed"))).toEqual([]);
    const { said } = scene.relay.process;
    for (const name of NAMES) {
      expect(said.split(`${name} belongs to another user`), said).toHaveLength(2);
      expect(await readFile(join(shared, name), "utf8")).toBe('"planted by a stranger"');
    }
    expect((await readdir(shared)).filter((name) => name.startsWith("."))).toEqual([]);
  });
});
