import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { imageBytes } from "../../scripts/images/build.ts";
import { PodmanHere, whyNoImage } from "../harness/contributor-image.ts";
import { ContributorScene } from "../harness/contributor-scene.ts";
import { FolderHere } from "../harness/folder-here.ts";
import { ProcessHere } from "../harness/process-here.ts";

const run = promisify(execFile);
const COMMAND = join(import.meta.dirname, "../../bin/contribute-hive");
const SLOW_MS = 500_000;
const MIB = 1024 * 1024;
const impossible = await whyNoImage();
if (impossible !== undefined) console.log(`skipped: the contributor's image: ${impossible}`);

/** What an agent and its relay call, each in a way that shows that it works. */
const PROGRAMS = `set -eu
cd /tmp; node --version; bash --version; tmux -V; bwrap --ro-bind / / --proc /proc true; ps -e -o pid= >/dev/null; tini --version
awk 'BEGIN { print "awk" }'; curl --version; tar --version; which sed; grep -q CERTIFICATE /etc/ssl/certs/ca-certificates.crt
git init -q here; cd here; git config user.name a; git config user.email a@localhost; git commit -q --allow-empty -m one
git -c protocol.file.allow=always submodule --quiet add /tmp/here sub; git commit -qm two; git rebase -q HEAD~1; git stash list
git submodule add /nowhere sub 2>&1 | grep "'sub' already exists"
git ls-remote https://127.0.0.1:1/ 2>&1 | grep 'Failed to connect'
tmux -L try new-session -d 'sleep 5'; tmux -L try list-sessions`;
/** What a contributor's machine has no use for, and a stranger's agent might have. */
const NOT_THERE = ["apt-get", "dpkg", "perl", "python3", "mount", "su", "git-daemon"];

describe.skipIf(impossible !== undefined)("the contributor's image", { timeout: SLOW_MS }, () => {
  let folder: FolderHere;
  let podman: PodmanHere;
  let scene: ContributorScene;
  /** Why this machine runs no container at all. */
  let unable: string | undefined;

  beforeAll(async () => {
    folder = await FolderHere.make("image");
    podman = await PodmanHere.make(folder);
    unable = await podman.whyNoContainers();
    if (unable !== undefined) return console.log(`skipped: the contributor's image: ${unable}`);
    scene = await ContributorScene.set(folder, podman);
  }, SLOW_MS);

  const removeRelay = async () => {
    await podman.run("rm", "-f", "-i", "nest-relay").catch(() => undefined);
    await podman.run("volume", "rm", "-f", "nest-relay-state").catch(() => undefined);
  };
  afterEach(() => (unable === undefined ? removeRelay() : undefined));

  afterAll(async () => {
    await scene?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  }, SLOW_MS);

  test("holds what a relay and its agent call, the licence of each part, no package manager, and is below 156 MiB", async ({
    skip,
  }) => {
    if (unable !== undefined) skip(unable);
    const image = `localhost/nest-relay:${podman.tag}`;
    const inside = (script: string) => podman.run("run", "--rm", "--entrypoint", "bash", image, "-c", script);
    await inside(PROGRAMS);
    const found = await inside(`for name in ${NOT_THERE.join(" ")}; do command -v $name || true; done`);
    expect(found).toBe("");
    const licences = await inside("ls /usr/share/doc/*/copyright /opt/nest/relay/THIRD-PARTY-NOTICES.txt");
    for (const part of ["git", "tmux", "bash", "libc6", "bubblewrap", "curl"])
      expect(licences).toContain(`/usr/share/doc/${part}/copyright`);
    expect(await inside("cat /var/lib/dpkg/status")).toMatch(/^Package: git\nStatus: install ok installed$/m);
    const environment = { PATH: process.env.PATH, ...podman.environment };
    expect((await imageBytes(image, { engine: "podman", environment })) / MIB).toBeLessThan(156);
  });

  test("is started by contribute-hive with podman, works as a user without rights, and its pull request is verified", async ({
    skip,
  }) => {
    if (unable !== undefined) skip(unable);
    await scene.openIssue();
    await using relay = new ProcessHere("contribute-hive", ["claude"], {
      ...(await scene.environmentOf("ada")),
      ANTHROPIC_API_KEY: "dummy",
    });
    await scene.hasVerified("ada", 1, () => relay.said);
    expect(relay.said).toContain("agents are confined to this container, each run by bubblewrap");
    const inside = await podman
      .run(
        ...["exec", "nest-relay", "sh", "-c"],
        "id -u; grep CapEff /proc/self/status; tr '\\0' '\\n' < /proc/1/environ; tr '\\0' ' ' < /proc/1/cmdline; echo; ps -e -o args= | grep ': [f]led' && echo STILL THERE; cat /home/contributor/.cache/nest/workspaces/*/transcript.log; cat /tmp/contributor-headless-status.json; touch /etc/x",
      )
      .catch((thrown: { stdout: string }) => thrown.stdout);
    expect(inside).toMatch(/^1001\nCapEff:\t0000000000000000\n/);
    expect(inside).toMatch(/^tini -s -- .*nest-relay/m);
    expect(inside).toContain("NEST_HUB=");
    expect(inside).not.toMatch(/REGISTRATION|token-of-ada|SECRET IN|PLANTED|RELAY IN SIGHT|STILL THERE/);
    expect(inside).toContain("I am 1001:1000 in /home/contributor/.cache/nest/workspaces/task-");
    expect(inside).toContain("--dangerously-skip-permissions");
    expect(JSON.parse(inside.trim().split("\n").at(-1) ?? "")).toMatchObject({
      state: "waiting",
      last_result: "done",
    });
    const line = await podman.run("inspect", "--format", "{{.Config.CreateCommand}}", "nest-relay");
    expect(line).not.toContain("token-of-ada");
    relay.signal("SIGTERM");
    expect(await relay.ended).toMatchObject({ code: 0 });
    expect(await podman.run("ps", "-aq", "--filter", "name=^nest-relay$")).toBe("");
  });

  test("a login that lies in the contributor's files is what the agent finds in its own home in the container", async ({
    skip,
  }) => {
    if (unable !== undefined) skip(unable);
    await scene.openIssue();
    const environment = await scene.environmentOf("ben");
    const accessToken = "sk-ant-oat01-of-ben-who-signed-in-on-his-own-machine";
    await mkdir(join(environment.HOME ?? "", ".claude"), { recursive: true });
    const oauth = { accessToken, refreshToken: "sk-ant-ort01-of-ben-whose-login-is-renewed", expiresAt: 4e12 };
    const login = { claudeAiOauth: oauth, mcpOAuth: { mail: { accessToken: "of another server" } } };
    await writeFile(join(environment.HOME ?? "", ".claude/.credentials.json"), JSON.stringify(login), { mode: 0o600 });
    await using relay = new ProcessHere("contribute-hive", ["claude"], environment);
    await scene.hasVerified("ben", 1, () => relay.said);
    expect(relay.said).toContain("the login of claude goes along, copied as a secret: ~/.claude/.credentials.json");
    const digest = createHash("sha256").update(accessToken).digest("hex").slice(0, 16);
    const transcript = "cat /home/contributor/.cache/nest/workspaces/*/transcript.log";
    const told = await podman.run("exec", "nest-relay", "sh", "-c", transcript);
    expect(told).toContain(`signed in by ${digest}, mcp: 0`);
    const seen = await podman.run("inspect", "nest-relay");
    expect(`${relay.said}${seen}`).not.toContain("sk-ant-o");
  });

  test("an agent without headless mode works in the container's tmux, where the printed command attaches a person", async ({
    skip,
  }) => {
    if (unable !== undefined) skip(unable);
    await scene.openIssue();
    await using terminal = new TerminalHere(await scene.environmentOf("cleo"));
    await terminal.open("relay", `BOB_API_KEY=of-cleo exec '${COMMAND}' bob`);
    const shown = /watch the agent with: (podman exec -it nest-relay tmux \S+ \S+ attach -t \S+)/;
    await expect.poll(() => terminal.shows("relay"), { timeout: 60_000 }).toMatch(shown);
    const [, attach = ""] = shown.exec(await terminal.shows("relay")) ?? [];
    await terminal.open("watch", attach);
    await expect.poll(() => terminal.shows("watch"), { timeout: 60_000 }).toMatch(/^Who watches\?$/m);
    await terminal.type("watch", "cleo");
    await expect.poll(() => terminal.shows("watch")).toMatch(/^Hello, cleo\.$/m);
    const story = async () => `${await terminal.shows("relay")}\n${await terminal.shows("watch")}`;
    await scene.hasVerified("cleo", 1, story);
    await terminal.press("relay", "C-c");
    await expect.poll(() => podman.run("ps", "-aq", "--filter", "name=^nest-relay$"), { timeout: 30_000 }).toBe("");
  });

  test("an image that is nowhere ends contribute-hive with what to do, before anything is started", async ({
    skip,
  }) => {
    if (unable !== undefined) skip(unable);
    const environment = await scene.environmentOf("dot");
    const words = ["claude", "-image", "localhost/no-such-relay:1"];
    await using hive = new ProcessHere("contribute-hive", words, environment);
    expect(await hive.ended).toMatchObject({ code: 1 });
    expect(hive.said).toContain("there is no image localhost/no-such-relay:1 on this machine");
    expect(hive.said).toContain("npm run images -- nest-relay -agents @anthropic-ai/claude-code");
    expect(await podman.run("ps", "-aq", "--filter", "name=^nest-relay$")).toBe("");
    expect(await podman.run("volume", "ls", "-q", "--filter", "name=nest-relay-state")).toBe("");
  });
});

/** Windows of a terminal, as a contributor has them before their eyes. */
class TerminalHere implements AsyncDisposable {
  readonly #socket = `nest-contributor-desk-${process.pid}`;
  readonly #environment: Readonly<Record<string, string>>;

  constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = environment;
  }

  /** Opens a window in which this is typed. */
  async open(name: string, typed: string): Promise<void> {
    const size = ["-x", "240", "-y", "50"];
    const args = [
      "-L",
      this.#socket,
      "-f",
      "/dev/null",
      "new-session",
      "-d",
      "-s",
      name,
      ...size,
      "--",
      "sh",
      "-c",
      typed,
    ];
    const child = spawn("tmux", args, { env: this.#environment });
    await new Promise((resolve) => child.once("close", resolve));
  }

  async shows(name: string): Promise<string> {
    return this.#tmux("capture-pane", "-p", "-J", "-S", "-", "-t", name).catch(() => "");
  }

  async type(name: string, text: string): Promise<void> {
    await this.#tmux("send-keys", "-t", name, "-l", text);
    await this.press(name, "Enter");
  }

  async press(name: string, key: string): Promise<void> {
    await this.#tmux("send-keys", "-t", name, key);
  }

  async #tmux(...args: readonly string[]): Promise<string> {
    return (await run("tmux", ["-L", this.#socket, ...args])).stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux("kill-server").catch(() => undefined);
  }
}
