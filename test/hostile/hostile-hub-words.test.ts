import { readdir, readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HonestHub } from "../harness/between-hubs.ts";
import { RawHub } from "../harness/raw-hub.ts";

/** Text of a hostile hub gets to terminals, programs, file names and the agent. It must be taken for plain text everywhere. */
let honest: HonestHub;
beforeAll(async () => {
  honest = await HonestHub.start();
});
afterAll(() => honest[Symbol.asyncDispose]());

const task = {
  type: "task_assign",
  task_id: "t-1",
  task_gen: 1,
  kind: "issue",
  repo: "evil/one",
  number: 1,
  title: "Title",
  url: "https://code.example/evil/one/issues/1",
  labels: [] as string[],
  prompt: "Do it.",
};
/** Clears the screen, renames the window, turns the direction of writing, ends a string of C. */
const RAW = "\u001b[2J\u001b]0;owned\u0007\u009b31m\u202eturned\u0000\u0008";
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/;

const OUTBOX_FILE = /\/outbox\/[0-9a-f]{32}\/[\w-]+\/[0-9a-f]{32}-\d+\.json$/;

/** A hub that gives one task and keeps what became of it. */
async function giving(assignment: object): Promise<RawHub> {
  return RawHub.start(async (visit) => {
    await visit.welcome({ trust_tier: RAW, server_capabilities: ["task_ack", "task_declined", RAW] });
    if ((await visit.hears("ready")) !== undefined) visit.send({ ...task, ...assignment });
  });
}

/** Every file that a relay and its agent left in their folder. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`);
}

describe("invalid repository, branch and issue names", () => {
  test.each([
    ["repo", "../.."],
    ["repo", "-x/y"],
    ["repo", "x/-y"],
    ["repo", "x/.."],
    ["repo", "x/y/../../z"],
    ["repo", "x/y?z"],
    ["repo", "x/y\n-z"],
    ["repo", "x/\u0000y"],
    ["repo", "/etc"],
    ["task_id", "t\u0000"],
    ["task_id", "t\u001b[2J"],
    ["task_id", "t\nNEST_X=1"],
  ])(
    "%s %j: the task is declined, no agent runs, and the agent is not taken for broken",
    async (field, value) => {
      await using hostile = await giving({ [field]: value });
      await using between = await honest.relayBeside(hostile);
      await expect.poll(() => hostile.visits[0]?.count("task_declined"), { timeout: 20_000 }).toBeGreaterThan(0);
      expect(hostile.visits[0]?.heard.find(({ type }) => type === "task_declined")).toMatchObject({
        reason: "malformed",
      });
      await between.honestWorkIsDone(2);
      expect(hostile.visits[0]?.count("task_accepted")).toBe(0);
      expect(between.relay.process.said).not.toMatch(CONTROL);
    },
    90_000,
  );

  test.each([
    ["../../../../escaped"],
    ["/etc/escaped"],
    ["..\\..\\escaped"],
    ["con/../escaped"],
    [`${"a".repeat(200)}/escaped`],
    ["--help escaped"],
  ])(
    "task id %j: workspace, context and outbox stay where they belong",
    async (taskId) => {
      await using hostile = await giving({ task_id: taskId });
      await using between = await honest.relayBeside(hostile);
      await expect.poll(() => hostile.visits[0]?.count("task_complete"), { timeout: 20_000 }).toBeGreaterThan(0);
      const [workspaces, state] = [between.folder.in("workspaces"), between.folder.in(".local/state/nest")];
      const isMisplaced = (file: string) =>
        (file.includes("escaped") && !file.startsWith(`${workspaces}/task-`)) ||
        (file.startsWith(`${state}/outbox/`) && !OUTBOX_FILE.test(file));
      // The relay goes on working meanwhile: what it removes, or writes beside its place, is gone at the next look.
      await expect.poll(async () => (await filesOf(between.folder.path)).filter(isMisplaced)).toEqual([]);
      await between.honestWorkIsDone(1);
    },
    90_000,
  );
});

describe("a prompt, a title and a link", () => {
  test("of full size, with rights without end, still reach the agent", async () => {
    const permissions = Array.from({ length: 1500 }, (_, at) => `right-${at}:${"x".repeat(24)}`);
    await using hostile = await RawHub.start(async (visit) => {
      await visit.welcome({ permissions, server_capabilities: ["task_ack", "task_declined", "token_refresh"] });
      await visit.hears("ready");
      visit.send({ ...task, prompt: "x".repeat(60_000) });
      await visit.hears("task_accepted");
      visit.send({ type: "token_refresh", github_token: "ghs_of_the_hostile_hub" });
    });
    await using between = await honest.relayBeside(hostile, { environment: { GH_TOKEN: "ghp_mine_mine_mine" } });
    await expect.poll(() => hostile.visits[0]?.count("task_complete"), { timeout: 20_000 }).toBeGreaterThan(0);
    await between.honestWorkIsDone(1);
  }, 90_000);

  test.each(["-rf", "--dangerously-skip-permissions", "/exit", "!touch x", "@file", `-p ${RAW}`, RAW])(
    "that begin as %j reach the agent as plain words, and a terminal as none",
    async (words) => {
      const assignment = { prompt: words, title: words, labels: [words], url: `javascript:alert("${words}")` };
      await using hostile = await giving(assignment);
      await using between = await honest.relayBeside(hostile, { agent: "agent-tells-environment" });
      await expect.poll(() => hostile.visits[0]?.count("task_complete"), { timeout: 20_000 }).toBeGreaterThan(0);
      const transcripts = (await filesOf(between.folder.in("workspaces"))).filter((file) =>
        file.endsWith("transcript.log"),
      );
      const printed = (await Promise.all(transcripts.map((file) => readFile(file, "utf8")))).join("\n");
      expect(printed).not.toMatch(CONTROL);
      expect(between.relay.process.said).not.toMatch(CONTROL);
    },
    90_000,
  );

  test.each([
    ["javascript:alert(1)", ""],
    ["file:///etc/passwd", ""],
    ["https://ada:secret@code.example/evil/one/issues/1", ""],
    ["https://code.example/evil/one/issues/1", "https://code.example/evil/one/issues/1"],
  ])(
    "link %j stands in the task's context as %j",
    async (url, shown) => {
      await using hostile = await giving({ url, title: `A ${RAW} title` });
      await using between = await honest.relayBeside(hostile, { environment: { FAKE_SECONDS: "3" } });
      const file = between.folder.in("contributor-task.json");
      const read = async () => JSON.parse(await readFile(file, "utf8").catch(() => "{}")) as Record<string, unknown>;
      await expect.poll(async () => (await read()).repo, { timeout: 20_000 }).toBe("evil/one");
      const context = await read();
      expect(context.url).toBe(shown);
      expect(String(context.title)).not.toMatch(CONTROL);
    },
    90_000,
  );
});
