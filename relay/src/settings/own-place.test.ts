import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fakeAgent, RelayHere, until } from "../testing/relay-here.ts";
import { aTask, ScriptedHub } from "../testing/scripted-hub.ts";
import { ownPlace, whyTaken } from "./own-place.ts";

test.each([
  ["our own file", { uid: 1000, file: true }, 1000, undefined],
  ["another user's file", { uid: 1001, file: true }, 1000, "belongs to another user"],
  ["root's file", { uid: 0, file: true }, 1000, "belongs to another user"],
  ["anybody's file, to root", { uid: 1001, file: true }, 0, undefined],
  ["a folder, to root", { uid: 0, file: false }, 0, "is no regular file"],
  ["a folder of our own", { uid: 1000, file: false }, 1000, "is no regular file"],
])("of %s at a default place it is known whether it is ours to replace", (_, found, ourUser, why) => {
  expect(whyTaken({ uid: found.uid, isFile: () => found.file }, ourUser)).toBe(why);
});

describe("a default place", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "nest-own-place-test-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test("that is free, or holds our own file, is where the file goes", async () => {
    const path = join(folder, "word.json");
    expect(await ownPlace(path, "/state")).toEqual({ path });
    await writeFile(path, "");
    expect(await ownPlace(path, "/state")).toEqual({ path });
  });

  test("that holds a link, whoever made it, is left for the relay's own folder", async () => {
    const path = join(folder, "word.json");
    await symlink("/nowhere", path);
    expect(await ownPlace(path, "/state")).toEqual({ path: "/state/word.json", because: `${path} is no regular file` });
  });
});

describe("a context file that cannot be written", () => {
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

  async function worked(environment: Record<string, string>, obstacle: string, warning: string) {
    relay.start({ NEST_HUB: hub.address, NEST_AGENT_COMMAND: fakeAgent("agent-tells-environment"), ...environment });
    const visit = await hub.visit();
    await visit.next("ready");
    // The obstacle appears after the relay has looked.
    await mkdir(join(relay.home, obstacle, "in-the-way"), { recursive: true });
    visit.say(aTask());
    await visit.next("task_complete");
    await until(() => relay.said.includes(warning), "the contributor is told");
    return (await relay.agentsEnvironment()).NEST_TASK_CONTEXT_FILE;
  }

  test("at its default place goes to the relay's own folder, and the task is done", async () => {
    const file = await worked({}, "contributor-task.json", "warning: the task in hand is kept in ");
    expect(file).toBe(join(relay.home, ".local/state/nest/contributor-task.json"));
  });

  test("where it was named is done without: the agent is pointed to no file that is not ours", async () => {
    const named = { NEST_TASK_CONTEXT_FILE: join(relay.home, "named.json") };
    expect(await worked(named, "named.json", "context file cannot be written, the agent works without it")).toBe(
      undefined,
    );
  });
});
