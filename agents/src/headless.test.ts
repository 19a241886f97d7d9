import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "@nest/kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agentEnvironment } from "./agent-environment.ts";
import type { AgentStart } from "./agent-run.ts";
import { claude } from "./backends/claude.ts";
import { promptArgument, startHeadless } from "./headless.ts";
import { outcomeOf } from "./outcome.ts";

const fake = (name: string) => fileURLToPath(new URL(`../../test/fakes/bin/${name}`, import.meta.url));
const clock = systemClock();
let folder: string;
let marks = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-agents-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function aStart(name: string, environment: Record<string, string> = {}): AgentStart {
  return {
    binary: fake(name),
    prompt: "Work on it.",
    container: false,
    sandboxed: false,
    folder,
    environment: { PATH: process.env.PATH ?? "/usr/bin:/bin", ...environment },
    mark: `fee1${process.pid.toString(16)}${(marks++).toString(16)}`,
  };
}

const alive = async (pid: number) => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return text !== "" && !/\) Z /.test(text);
};

async function pidIn(file: string): Promise<number> {
  for (;;) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (text.trim() !== "") return Number(text);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("an agent without a terminal", () => {
  test("works in the task's folder and ends with its output", async () => {
    const run = await startHeadless(claude, aStart("agent-ok"), { clock });
    const end = await run.ended;
    expect(end).toMatchObject({ kind: "exited", code: 0 });
    expect(end.kind === "exited" && end.output).toContain(`working in ${folder}`);
  });

  test("finds its standard input closed", async () => {
    const run = await startHeadless(claude, aStart("agent-reads-stdin"), { clock });
    expect(await run.ended).toMatchObject({ code: 0, output: expect.stringContaining("stdin held 0 bytes") });
  });

  test("that is not there never started", async () => {
    const run = await startHeadless(claude, { ...aStart("agent-ok"), binary: "/nowhere/agent" }, { clock });
    expect(await run.ended).toEqual({ kind: "not_started", because: "agent could not be started: ENOENT" });
  });

  test("is ended with everything it left running when it ends by itself", async () => {
    const file = join(folder, "pid");
    const run = await startHeadless(claude, aStart("agent-forks", { FAKE_PID_FILE: file, FAKE_ENDS: "1" }), { clock });
    const pid = await pidIn(file);
    expect(await alive(pid)).toBe(true);
    expect(await run.ended).toMatchObject({ kind: "exited", code: 0 });
    expect(await alive(pid)).toBe(false);
  });

  test("deaf to SIGTERM is ended after the grace, and so are descendants in sessions of their own", async () => {
    const file = join(folder, "pid");
    const run = await startHeadless(claude, aStart("agent-forks", { FAKE_PID_FILE: file }), { clock });
    const pid = await pidIn(file);
    await run.end({ graceMs: 200 });
    expect(await run.ended).toEqual({ kind: "ended" });
    expect(await alive(pid)).toBe(false);
    const deaf = await startHeadless(claude, aStart("agent-ignores-term"), { clock });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await deaf.end({ graceMs: 200, overdueAfterMs: 1 });
    expect(await deaf.ended).toMatchObject({ kind: "overdue", afterMs: 1 });
  });

  test("that draws with escapes and broken text is still understood", async () => {
    const run = await startHeadless(claude, aStart("agent-garbage"), { clock });
    const end = await run.ended;
    if (end.kind === "ended") throw new Error("it was not ended");
    expect(outcomeOf(end, { repo: "acme/web", webBase: "https://codehost.example", prompt: "" })).toEqual({
      kind: "completed",
      verdict: "blocked",
      verdictReason: "waits for the maintainer",
    });
    expect(await run.tail()).not.toMatch(/[\u0000-\u0008\u000b-\u001f]/);
  });

  test("that prints much has its first and last words kept, and a transcript of its own with mode 0600 and a cap", async () => {
    const transcript = join(folder, "transcript.log");
    const start = { ...aStart("agent-floods", { FAKE_BYTES: "40000000" }), transcript };
    const run = await startHeadless(claude, start, { clock });
    const end = await run.ended;
    const output = end.kind === "exited" ? end.output : "";
    expect(output.startsWith("the beginning")).toBe(true);
    expect(output).toContain("NEST_VERDICT: no_work_needed already done");
    expect(output.length).toBeLessThan(1_400_000);
    const sizes = await Promise.all(
      (await readdir(folder)).filter((name) => name.startsWith("transcript")).map((name) => stat(join(folder, name))),
    );
    expect(sizes.reduce((sum, file) => sum + file.size, 0)).toBeLessThanOrEqual(16 * 1024 * 1024);
    expect(sizes.every((file) => (file.mode & 0o777) === 0o600)).toBe(true);
    expect(Buffer.byteLength(await run.tail())).toBeLessThanOrEqual(8192);
  });
});

test.each([
  ["-rf /", "Task: -rf /"],
  ["/logout", "Task: /logout"],
  ["!ls", "Task: !ls"],
  ["\u001b[2J  --help", "Task: --help"],
  ["plain", "plain"],
])("the prompt %j goes to the agent as %j, never as a flag or a command", (prompt, argument) => {
  expect(promptArgument(prompt)).toBe(argument);
});

test("the agent's environment is made by allow list: no token of the relay is in it, the task's credential wins", () => {
  const environment = agentEnvironment(
    {
      PATH: "/bin",
      LC_ALL: "C",
      XDG_CACHE_HOME: "/c",
      ANTHROPIC_API_KEY: "mine",
      OPENAI_API_KEY: "not for claude",
      NEST_REGISTRATION_TOKEN: "t",
      HIVE_REGISTRATION_TOKEN: "t",
      NEST_HUB_ADMIN_TOKEN: "t",
      NEST_HUB_SECRET: "s",
      NEST_GITHUB_URL: "https://codehost.example",
      GH_TOKEN: "contributor's",
      WANTED: "1",
    },
    {
      backend: claude,
      isContained: false,
      alsoPass: ["WANTED", "NEST_REGISTRATION_TOKEN"],
      task: { GH_TOKEN: "task's" },
    },
  );
  expect(environment).toEqual({
    PATH: "/bin",
    LC_ALL: "C",
    XDG_CACHE_HOME: "/c",
    ANTHROPIC_API_KEY: "mine",
    NEST_GITHUB_URL: "https://codehost.example",
    GH_TOKEN: "task's",
    WANTED: "1",
  });
});
