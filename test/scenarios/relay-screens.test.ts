import { execFile, spawn } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { findBinary, findBubblewrap } from "@nest/agents";
import { systemClock } from "@nest/kit";
import { startLocalCodeHost } from "@nest/local-codehost";
import { expect, test } from "vitest";
import { FolderHere } from "../harness/folder-here.ts";
import { HubProcess } from "../harness/hub-process.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../..");
const RECORDING = join(ROOT, "docs/images/relay-screens.txt");
const tmux = await findBinary("tmux", process.env.PATH);
if (tmux === undefined && process.env.CI === "true") throw new Error("tmux is missing");

/** Poses as a CLI that asks before it goes on. */
const AGENT = `#!/bin/sh
[ "$1" = --version ] && { echo "agent 1.2.3"; exit 0; }
printf '\\033[?2004h> '
while IFS= read -r line; do
  case $line in
    *"end of issue text"*)
      echo; echo "I have read the issue. I would like to run: npm test"
      sleep 2
      echo "Do you want to proceed? (y/n)"
      read -r answer
      clear
      echo "The README says it already."
      echo "NEST_VERDICT: no_work_needed the README says it already"
      printf '> ' ;;
  esac
done
`;

/** A terminal with a relay in it, as a contributor has it before their eyes. */
class Screen implements AsyncDisposable {
  readonly #socket = `nest-screens-${process.pid}`;
  readonly taken: string[] = [];

  async open(environment: Record<string, string>): Promise<void> {
    const args = ["-L", this.#socket, "-f", "/dev/null", "new-session", "-d", "-s", "relay", "-x", "150", "-y", "16"];
    // Variables go by the environment of the server: nothing secret is on a command line.
    const child = spawn(tmux ?? "", [...args, "--", join(ROOT, "bin/nest"), "relay"], { env: environment });
    await new Promise((resolve) => child.once("close", resolve));
  }

  async shows(socket = this.#socket): Promise<string> {
    const { stdout } = await run(tmux ?? "", ["-L", socket, "capture-pane", "-p"]).catch(() => ({ stdout: "" }));
    return stdout
      .split("\n")
      .map((line) => line.trimEnd())
      .filter((line) => line !== "")
      .join("\n");
  }

  /** Waits until the screen shows it, and keeps the picture. */
  async until(pattern: RegExp, caption: string): Promise<string> {
    await expect.poll(() => this.shows(), { timeout: 60_000, interval: 100 }).toMatch(pattern);
    const shown = await this.shows();
    this.taken.push(`== ${caption}\n\n${shown}`);
    return shown;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run(tmux ?? "", ["-L", this.#socket, "send-keys", "C-c"]).catch(() => undefined);
    await expect.poll(() => this.shows(), { timeout: 10_000 }).toBe("");
  }
}

test.skipIf(tmux === undefined)(
  "a contributor who watches always knows what the relay does and why",
  { timeout: 240_000 },
  async () => {
    await using folder = await FolderHere.make("screens");
    const issue = { title: "The README is too short", body: "One more sentence.", author: "bob", labels: [] };
    const codeHost = await startLocalCodeHost({
      dataDir: folder.in("codehost"),
      clock: systemClock(),
      seed: {
        organisations: ["acme"],
        tokens: { "token-of-hub": "acme-nest", "token-of-ada": "ada" },
        repositories: [{ owner: "acme", name: "one", files: { "README.md": "# One\n" }, issues: [issue] }],
      },
    });
    await using hub = await HubProcess.start({
      folder: folder.in("hub"),
      apiUrl: codeHost.apiUrl,
      repos: ["acme/one"],
      token: "token-of-hub",
    });
    await hub.refresh();
    const agent = folder.in("tools/agent");
    await mkdir(folder.in("tools"));
    await mkdir(folder.in("home"));
    await writeFile(agent, AGENT);
    await chmod(agent, 0o755);
    const confined = "works" in (await findBubblewrap(process.env.PATH));
    const screen = new Screen();
    {
      await using _ = screen;
      await screen.open({
        PATH: process.env.PATH ?? "",
        LANG: "C.UTF-8",
        HOME: folder.in("home"),
        TMPDIR: folder.path,
        NEST_HUB: `${hub.url.replace("http", "ws")}/contribute`,
        NEST_REGISTRATION_TOKEN: (await hub.register("ada")).registration_token,
        NEST_AGENT_COMMAND: agent,
        NEST_SANDBOX: confined ? "bubblewrap" : "off",
      });
      const working = await screen.until(/working on acme\/one#1 for/, "a task has come");
      expect(working).toMatch(/for 0 min; agent .*; 127\S+ \(newcomer, 2 of 3 left this hour, 9 of 10 today\)$/);
      expect(working).toContain(confined ? "agent in bubblewrap" : "agent not confined");
      const [, socket = ""] = /tmux -L (\S+) attach/.exec(working) ?? [];
      const blocked = await screen.until(
        /IT WAITS FOR YOUR ANSWER/,
        "the agent asks, and the line says where to answer",
      );
      expect(blocked).toContain(`tmux -L ${socket} attach -t contributor`);
      expect(await screen.shows(socket)).toContain("Do you want to proceed?");
      screen.taken.push(
        `== attached: tmux -L ${socket} attach -t contributor\n\n${(await screen.shows(socket)).split("\n").slice(-8).join("\n")}`,
      );
      await run(tmux ?? "", ["-L", socket, "send-keys", "y", "Enter"]);
      const idle = await screen.until(/idle: no matching work/, "done; nothing more to do, why, and until when");
      expect(idle).toMatch(/asks again in \d+ s at \S+ \(newcomer, 2 of 3 left this hour, 9 of 10 today\), withheld: /);
      await hub.kill();
      const away = await screen.until(/hub away \(.*, next try in \d+ s/, "the hub has gone");
      expect(away).not.toContain("token");
    }
    await codeHost.close();
    if (process.env.NEST_RECORD === "1") await writeFile(RECORDING, `${screen.taken.join("\n\n\n")}\n`);
  },
);
