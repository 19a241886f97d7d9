import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readlink, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { systemClock } from "@nest/kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentStart } from "./agent-run.ts";
import { claude } from "./backends/claude.ts";
import { findBinary } from "./cli/binary.ts";
import { startInteractive } from "./interactive.ts";
import { outcomeOf } from "./outcome.ts";
import { type PaneProcess, type TmuxDeps, TmuxSession } from "./tmux.ts";

const binary = fileURLToPath(new URL("../../test/fakes/bin/agent-at-terminal", import.meta.url));
const tmuxBinary = await findBinary("tmux", process.env.PATH);
const clock = systemClock();
const run = promisify(execFile);
const work = { repo: "acme/web", webBase: "https://github.com", prompt: "" };
let folder: string;
let tmux: TmuxSession;
let count = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-terminal-test-"));
  count += 1;
  tmux = new TmuxSession(tmuxDeps());
});
afterEach(async () => {
  await tmux.close();
  await rm(folder, { recursive: true, force: true });
});

function tmuxDeps(): TmuxDeps {
  return {
    binary: tmuxBinary ?? "",
    socket: `nest-test-${process.pid}-${count}`,
    session: "contributor",
    folder,
    environment: { PATH: process.env.PATH ?? "", HOME: folder, LANG: "C.UTF-8" },
    mark: `fee2${process.pid.toString(16)}${count.toString(16)}`,
  };
}

/** A multiplexer that knows that a program has ended before it knows its exit code. */
class LateExitCode extends TmuxSession {
  deadLooks = 0;

  override async pane(): Promise<PaneProcess> {
    const pane = await super.pane();
    if (!pane.dead) return pane;
    this.deadLooks += 1;
    return this.deadLooks > 3 ? pane : { ...pane, exitCode: undefined };
  }
}

function aStart(environment: Record<string, string> = {}): AgentStart {
  return {
    binary,
    prompt: "$(touch executed); Work on it.\nAnswer with one of\nNEST_VERDICT: blocked <reason>\nend of prompt",
    container: false,
    sandboxed: false,
    folder,
    environment: { PATH: process.env.PATH ?? "", GH_TOKEN: "it's a $ecret", ...environment },
    mark: `fee3${process.pid.toString(16)}${count.toString(16)}`,
  };
}

async function aScript(name: string, body: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
  return path;
}

describe.skipIf(tmuxBinary === undefined)("an agent at a terminal", () => {
  test("gets the prompt as a paste, with the task's environment, and ends with its verdict line", async () => {
    const run = await startInteractive(claude, aStart({ FAKE_OLD_VERDICT: "1" }), { clock, tmux });
    const end = await run.ended;
    if (end.kind === "ended") throw new Error("it was not ended");
    expect(outcomeOf(end, work)).toEqual({
      kind: "completed",
      verdict: "shipped",
      pullRequest: "https://github.com/acme/web/pull/13",
    });
    expect(await run.tail()).toContain(`working in ${folder} with token it's a $ecret`);
    expect((await tmux.pane()).dead).toBe(true);
    const again = await startInteractive(claude, { ...aStart(), environment: {} }, { clock, tmux });
    await again.ended;
    expect(await again.tail()).toMatch(/with token\s*$/m);
  });

  test("that leaves with an error is judged by its exit code", async () => {
    const run = await startInteractive(claude, aStart({ FAKE_LEAVES: "3" }), { clock, tmux });
    expect(await run.ended).toMatchObject({ kind: "exited", code: 3 });
  });

  test("is judged by its exit code also when tmux tells it later than the end", async () => {
    const late = new LateExitCode(tmuxDeps());
    const run = await startInteractive(claude, aStart({ FAKE_LEAVES: "3" }), { clock, tmux: late });
    expect(await run.ended).toMatchObject({ kind: "exited", code: 3 });
    expect(late.deadLooks).toBeGreaterThan(3);
  });

  test("that a signal ends was killed", async () => {
    const run = await startInteractive(claude, aStart({ FAKE_SECONDS: "1000" }), { clock, tmux });
    for (;;) {
      if ((await run.tail()).includes("working in")) break;
      await clock.sleep(50);
    }
    process.kill((await tmux.pane()).pid, "SIGKILL");
    expect(await run.ended).toMatchObject({ kind: "killed" });
  });

  test("that ends before it is ready and says nothing is told by its exit code", async () => {
    const silent = await aScript("silent", "exit 7");
    const run = await startInteractive(claude, { ...aStart(), binary: silent }, { clock, tmux });
    expect(await run.ended).toEqual({
      kind: "not_started",
      because: "agent ended before it was ready with exit code 7, and said nothing",
    });
  });

  test("that ends before it is ready never started", async () => {
    const run = await startInteractive(claude, aStart({ FAKE_DIES: "1" }), { clock, tmux });
    expect(await run.ended).toMatchObject({
      kind: "not_started",
      because: expect.stringContaining("cannot reach my model"),
    });
  });

  test("behind a script that starts a script is typed to like any other", async () => {
    const inner = await aScript("inner", `"${binary}" "$@"`);
    const outer = await aScript("outer", `exec "${inner}" "$@"`);
    const run = await startInteractive(claude, { ...aStart(), binary: outer }, { clock, tmux });
    expect(await run.ended).toMatchObject({ kind: "settled", output: expect.stringContaining("pull/13") });
  });

  test("that left a shell in its place is not typed to: nothing of the prompt is run", async () => {
    const shell = await aScript("shell", "PS1='> ' exec bash --norc --noprofile -i");
    const run = await startInteractive(claude, { ...aStart(), binary: shell }, { clock, tmux });
    await clock.sleep(4000);
    expect(await tmux.capture("everything")).not.toContain("Work on it");
    await expect(stat(join(folder, "executed"))).rejects.toThrow("ENOENT");
    await run.end({ graceMs: 200 });
  });

  test("that asks whether to trust its folder is told yes, and then gets its prompt", async () => {
    const asks = await aScript(
      "asks",
      `echo "$PWD"; echo 'Is this a project you created or one you trust?'; echo '❯ 1. Yes, I trust this folder'; read -r _; clear; exec "${binary}"`,
    );
    const run = await startInteractive(claude, { ...aStart(), binary: asks }, { clock, tmux });
    expect(await run.ended).toMatchObject({ kind: "settled" });
  });

  test("started for one prompt is seen in the pane all the same, and ends by itself", async () => {
    const once = await aScript("once", 'echo "told: $*"; echo "NEST_VERDICT: no_work_needed"; sleep 3; exit 0');
    const run = await startInteractive(claude, { ...aStart(), binary: once }, { clock, tmux, oneShot: true });
    const end = await run.ended;
    expect(end).toMatchObject({ kind: "exited", code: 0, output: expect.stringContaining("Work on it.") });
    expect(end.kind === "exited" && outcomeOf(end, work)).toMatchObject({ verdict: "no_work_needed" });
  });

  test("has the PATH of its own environment, not that of its multiplexer", async () => {
    const once = await aScript("once", 'echo "searches $PATH"');
    const path = `${process.env.PATH}:${folder}/mine`;
    const run = await startInteractive(
      claude,
      { ...aStart({ PATH: path }), binary: once },
      { clock, tmux, oneShot: true },
    );
    const end = await run.ended;
    expect("output" in end && end.output.replaceAll("\n", "")).toContain(`${folder}/mine`);
  });

  test("can be watched: every byte it prints, and the size of its window", async () => {
    const printed: Buffer[] = [];
    const watch = await tmux.watch((event) => {
      if (event.kind === "output") printed.push(event.bytes);
    });
    const run = await startInteractive(claude, aStart(), { clock, tmux });
    await run.ended;
    await watch.close();
    expect(Buffer.concat(printed).toString()).toContain("\x1b[?2004h> ");
    expect(Buffer.concat(printed).toString()).toContain("NEST_VERDICT: complete");
    expect(await tmux.size()).toEqual({ columns: 200, rows: 50 });
  });

  test("is ended from outside with its whole tree", async () => {
    const run = await startInteractive(claude, aStart({ FAKE_SECONDS: "1000" }), { clock, tmux });
    for (;;) {
      if ((await run.tail()).includes("working in")) break;
      await clock.sleep(50);
    }
    await run.end({ graceMs: 500 });
    expect(await run.ended).toEqual({ kind: "ended" });
    expect((await tmux.pane()).dead).toBe(true);
  });
});

describe.skipIf(tmuxBinary === undefined)("a multiplexer server whose working directory was deleted", () => {
  const cwdOf = (pid: string) => readlink(`/proc/${pid.trim()}/cwd`);

  test("is replaced before the next program starts", async () => {
    const { socket } = tmuxDeps();
    const gone = join(folder, "gone");
    await mkdir(gone);
    const call = (args: readonly string[], cwd?: string) =>
      run(tmuxBinary ?? "", ["-L", socket, "-f", "/dev/null", ...args], { cwd }).then(({ stdout }) => stdout);
    await call(["new-session", "-d", "-s", "contributor", "/bin/cat", "-"], gone);
    const old = await call(["display-message", "-p", "#{pid}"]);
    await rm(gone, { recursive: true });
    expect(await cwdOf(old)).toContain("(deleted)");
    await tmux.start(["/bin/sh", "-c", "pwd; sleep 100"], folder, {});
    const now = await call(["display-message", "-p", "#{pid}"]);
    expect(now).not.toBe(old);
    await expect.poll(() => tmux.capture("everything")).toContain(folder);
  });

  test("cannot become one: the relay's own server stands in a folder that stays", async () => {
    const home = join(folder, "home");
    await mkdir(home);
    const own = new TmuxSession({ ...tmuxDeps(), socket: `${tmuxDeps().socket}-own`, folder: home });
    try {
      await own.start(["/bin/sh", "-c", "sleep 100"], folder, {});
      await rm(home, { recursive: true });
      await own.start(["/bin/sh", "-c", "pwd; sleep 100"], folder, {});
      await expect.poll(() => own.capture("everything")).toContain(folder);
    } finally {
      await own.close();
    }
  });
});

describe.skipIf(tmuxBinary === undefined)("a multiplexer on a busy machine", () => {
  test("loses nothing that an agent started for one prompt printed just before it ended", async () => {
    const said = await aScript("said", 'echo "NEST_VERDICT: blocked $NTH"');
    for (let nth = 0; nth < 15; nth += 1) {
      const start = { ...aStart({ NTH: String(nth) }), binary: said };
      const agent = await startInteractive(claude, start, { clock, tmux, oneShot: true });
      const output = expect.stringContaining(`blocked ${nth}`);
      expect(await agent.ended).toMatchObject({ kind: "exited", code: 0, output });
    }
  }, 90_000);

  test("tells the exit code of an agent started for one prompt, and that it was ended", async () => {
    const fails = { ...aStart(), binary: await aScript("fails", "exit 3") };
    expect(await (await startInteractive(claude, fails, { clock, tmux, oneShot: true })).ended).toMatchObject({
      code: 3,
    });
    const stays = { ...aStart(), binary: await aScript("stays", "sleep 1000") };
    const agent = await startInteractive(claude, stays, { clock, tmux, oneShot: true });
    await clock.sleep(500);
    await agent.end();
    expect(await agent.ended).toEqual({ kind: "ended" });
  });

  test("tells the exit code of every program, also when it has missed that one ended", async () => {
    const sessions = Array.from({ length: 6 }, (_, at) => {
      const deps = tmuxDeps();
      return new TmuxSession({ ...deps, socket: `${deps.socket}-${at}` });
    });
    const codes = await Promise.all(
      sessions.map(async (session) => {
        await session.start(["/bin/sh", "-c", "sleep 0.2; exit 3"], folder, {});
        for (;;) {
          const pane = await session.pane();
          if (pane.exitCode !== undefined || pane.signalled) return pane.exitCode;
          await clock.sleep(5);
        }
      }),
    );
    await Promise.all(sessions.map((session) => session.close()));
    expect(codes).toEqual([3, 3, 3, 3, 3, 3]);
  });
});
