import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock } from "@nest/kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentStart } from "../agent-run.ts";
import { claude } from "../backends/claude.ts";
import { findBinary } from "../cli/binary.ts";
import { TaskCredential } from "../credential.ts";
import { startHeadless } from "../headless.ts";
import { startInteractive } from "../interactive.ts";
import { TmuxSession } from "../tmux.ts";
import { bubblewrapArguments, findBubblewrap, inOwnProcesses } from "./bubblewrap.ts";
import { readableFor } from "./reach.ts";
import { confine, type Sandbox } from "./sandbox.ts";

const clock = systemClock();
const found = await findBubblewrap(process.env.PATH);
const tmuxBinary = await findBinary("tmux", process.env.PATH);
const bubblewrap = "works" in found ? found.works : undefined;
if ("because" in found) {
  if (process.env.CI === "true") throw new Error(found.because);
  console.log(`skipped: ${found.because}`);
}

let root: string;
let home: string;
let workspace: string;
let count = 0;
let hidden: readonly string[] = [];
let walls: Sandbox | undefined;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "nest-sandbox-test-"));
  home = join(root, "home");
  workspace = join(home, ".cache/nest/workspaces/task-1/work");
  await mkdir(workspace, { recursive: true });
  await put(join(home, ".config/nest/contributor.env"), "NEST_REGISTRATION_TOKEN=very-secret-token\n");
  await put(join(home, ".ssh/id_ed25519"), "very-secret-key\n");
  await put(join(home, ".claude/.credentials.json"), login("first-access"));
  await put(join(home, ".gitconfig"), "[user]\n\tname = Ada\n");
  count += 1;
});
afterEach(async () => {
  walls = undefined;
  await rm(root, { recursive: true, force: true });
});

const login = (accessToken: string) =>
  JSON.stringify({ claudeAiOauth: { accessToken, refreshToken: "r", expiresAt: 1 }, mcpOAuth: { other: "theirs" } });

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** The start of an agent that runs these lines, in a sandbox made as a task makes it. */
async function aStart(lines: string, hasCredential = true, taskPlaces: readonly string[] = []): Promise<AgentStart> {
  const folder = join(root, "tools/lib/node_modules/agent");
  await put(join(folder, "cli"), `#!/bin/sh\n${lines}\n`);
  await chmod(join(folder, "cli"), 0o755);
  const agent = join(root, "tools/bin/agent");
  await mkdir(dirname(agent), { recursive: true });
  await symlink("../lib/node_modules/agent/cli", agent).catch(() => undefined);
  const environment = { PATH: "/usr/bin:/bin", HOME: home };
  const around = { home, environment, hasCredential };
  const places = { workspace, taskPlaces, alsoReadable: [], hidden };
  await walls?.takeDown();
  if (bubblewrap !== undefined)
    walls = await confine(bubblewrap, { backend: claude, agent, ...places, inContainer: false, around });
  return {
    binary: agent,
    prompt: "Work on it.\nend of prompt",
    container: false,
    sandboxed: true,
    folder: workspace,
    environment,
    confined: walls?.confined,
    mark: `fee5${process.pid.toString(16)}${count.toString(16)}`,
  };
}

async function saidBy(lines: string, hasCredential = true): Promise<string> {
  const run = await startHeadless(claude, await aStart(lines, hasCredential), { clock });
  const end = await run.ended;
  return end.kind === "exited" ? end.output : JSON.stringify(end);
}

/** Where a command line of bubblewrap mounts something. */
function mountedAt(argv: readonly string[]): readonly string[] {
  const words: Readonly<Record<string, number>> = { "--bind": 2, "--ro-bind": 2, "--ro-bind-try": 2, "--tmpfs": 1 };
  return argv.flatMap((word, at) => (words[word] === undefined ? [] : (argv[at + words[word]] ?? [])));
}

test("in a container nothing is mounted over a link: bubblewrap refuses that", async () => {
  const outside = await mkdtemp("/var/tmp/nest-links-");
  try {
    const real = join(outside, "real");
    await put(join(real, "state/secret"), "very-secret\n");
    await put(join(real, "file"), "very-secret\n");
    for (const name of ["state", "file"]) await symlink(join(real, name), join(outside, name));
    await symlink("/usr/bin", join(outside, "programs"));
    const environment = { PATH: `/usr/sbin:/usr/bin:/sbin:/bin:${join(outside, "programs")}`, HOME: home };
    const places = {
      workspace,
      taskPlaces: [],
      alsoReadable: ["/lib", outside],
      alsoWritable: [join(outside, "state")],
    };
    const own = { proc: "own", binary: "/usr/bin/bwrap", changeUser: undefined } as const;
    const run = { backend: claude, agent: "/bin/sh", ...places, inContainer: true };
    const around = { home, environment, hasCredential: true };
    walls = await confine(own, { ...run, hidden: [join(outside, "state"), join(outside, "file")], around });
    const mounted = mountedAt(walls.confined(["true"]));
    expect(mounted).toEqual(expect.arrayContaining([join(real, "state"), join(real, "file"), workspace]));
    const kinds = await Promise.all(
      mounted.map(async (path) => [path, await lstat(path).catch(() => undefined)] as const),
    );
    expect(kinds.filter(([, kind]) => kind?.isSymbolicLink()).map(([path]) => path)).toEqual([]);
  } finally {
    await rm(outside, { recursive: true, force: true });
  }
});

describe.skipIf(bubblewrap === undefined)("a confined agent", () => {
  test("writes to its workspace, and to nothing else that lasts", async () => {
    const said = await saidBy(
      `pwd; echo mine > in.txt && echo inside
       echo no > "${root}/out.txt"; echo no > /etc/nest-was-here && echo outside
       echo no > "$HOME/.bashrc"; echo no > /tmp/stray; echo no > "$HOME/.config/nest/contributor.env"`,
    );
    expect(said).toContain(workspace);
    expect(said).toContain("inside");
    expect(said).not.toContain("outside");
    expect(await readFile(join(workspace, "in.txt"), "utf8")).toBe("mine\n");
    for (const path of [join(root, "out.txt"), "/etc/nest-was-here", join(home, ".bashrc"), "/tmp/stray"])
      await expect(readFile(path), path).rejects.toThrow("ENOENT");
    expect(await readFile(join(home, ".config/nest/contributor.env"), "utf8")).toContain("very-secret-token");
  });

  test("cannot read the registration, the person's keys, or another process's environment", async () => {
    const said = await saidBy(
      `cat "$HOME/.config/nest/contributor.env" "$HOME/.ssh/id_ed25519"
       for pid in /proc/[0-9]*; do tr '\\0' '\\n' < $pid/environ; done
       ls -A "$HOME" "$HOME/.config" /home /root /tmp; ps -e -o pid= | wc -l`,
    );
    expect(said).not.toContain("very-secret");
    expect(said).not.toContain("VITEST");
    expect(said).toMatch(/contributor\.env'?: No such file/);
  });

  test("uses its CLI's own login and git's settings; what it renews of the login goes back, and nothing else", async () => {
    const said = await saidBy(
      `cat "$HOME/.claude/.credentials.json"; git config --global user.name
       echo '${login("second-access")}' > "$HOME/.claude/.credentials.json" && echo login renewed
       echo '{"hooks":{}}' > "$HOME/.claude/settings.json"; mkdir -p "$HOME/.claude/skills/mine"`,
    );
    expect(said).toContain("first-access");
    expect(said).not.toContain("theirs");
    expect(said).toContain("Ada");
    expect(said).toContain("login renewed");
    await walls?.takeDown();
    expect(await readdir(join(home, ".claude"))).toEqual([".credentials.json"]);
    const after = JSON.parse(await readFile(join(home, ".claude/.credentials.json"), "utf8")) as unknown;
    expect(after).toEqual(JSON.parse(login("second-access")));
    expect((await readdir(dirname(workspace))).sort()).toEqual(["work"]);
  });

  test("sees the person's login at the code host only when the task brings none", async () => {
    await put(join(home, ".config/gh/hosts.yml"), "own login at the code host\n");
    const look = `cat "$HOME/.config/gh/hosts.yml"`;
    expect(await saidBy(look, true)).not.toContain("own login");
    expect(await saidBy(look, false)).toContain("own login");
  });

  test("gets the task's credential through git, a renewal while it runs too, and cannot change it", async () => {
    const credential = await TaskCredential.create("first-token", "https://codehost.example", root);
    const ask = "printf 'protocol=https\\nhost=codehost.example\\n\\n' | git credential fill";
    const start = await aStart(
      `${ask}; touch asked; until [ -e renewed ]; do sleep 0.05; done; ${ask}; echo mine > ${credential.folder}/token`,
      true,
      [credential.folder],
    );
    if (walls?.user !== undefined) await credential.belongTo(walls.user);
    const environment = { ...start.environment, ...credential.environment() };
    const run = await startHeadless(claude, { ...start, environment }, { clock });
    await expect
      .poll(() =>
        readFile(join(workspace, "asked")).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await credential.renew("second-token");
    await writeFile(join(workspace, "renewed"), "");
    const end = await run.ended;
    const output = end.kind === "exited" ? end.output : "";
    expect(output).toMatch(/password=first-token[\s\S]*password=second-token/);
    expect(await readFile(join(credential.folder, "token"), "utf8")).toBe("second-token\n");
    await credential.remove();
  });

  test("works in a workspace outside the home, and sees nothing of the tasks beside it", async () => {
    const elsewhere = await mkdtemp("/var/tmp/nest-sandbox-test-");
    const [before, workspaceBefore] = [hidden, workspace];
    try {
      await put(join(elsewhere, "task-0/transcript.log"), "very-secret words of another task\n");
      [hidden, workspace] = [[elsewhere], join(elsewhere, "task-1/work")];
      await mkdir(workspace, { recursive: true });
      const said = await saidBy(`echo mine > in.txt && pwd; ls ${elsewhere}; cat ${elsewhere}/*/transcript.log`);
      expect(said).toContain(workspace);
      expect(said).not.toMatch(/task-0|very-secret/);
      expect(await readFile(join(workspace, "in.txt"), "utf8")).toBe("mine\n");
    } finally {
      [hidden, workspace] = [before, workspaceBefore];
      await rm(elsewhere, { recursive: true, force: true });
    }
  });

  test("reads no file that is hidden, also among those of the system that it sees", async () => {
    const before = hidden;
    try {
      hidden = ["/etc/hostname"];
      const name = (await readFile("/etc/hostname", "utf8")).trim();
      const said = await saidBy('echo "the name is <$(cat /etc/hostname)>"; grep -c root /etc/passwd');
      expect(said).toContain("the name is <>");
      expect(said).not.toContain(`<${name}>`);
      expect(said).toMatch(/^[1-9]\d*$/m);
    } finally {
      hidden = before;
    }
  });

  test("reaches the network", async () => {
    const server = createServer((_, response) => response.end("hello from the network"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const said = await saidBy(`curl -s http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await new Promise((resolve) => server.close(resolve));
    expect(said).toContain("hello from the network");
  });

  test("ends with its own exit code, and one that is not there never started", async () => {
    const run = await startHeadless(claude, await aStart("exit 3"), { clock });
    expect(await run.ended).toMatchObject({ kind: "exited", code: 3 });
    const start = await aStart("exit 0");
    await rm(join(root, "tools/lib"), { recursive: true });
    const missing = await startHeadless(claude, start, { clock });
    expect(await missing.ended).toMatchObject({
      kind: "not_started",
      because: expect.stringContaining("the sandbox could not start the agent"),
    });
  });

  test("is ended with everything it started", async () => {
    const run = await startHeadless(claude, await aStart("(setsid sleep 1000 &); echo up; sleep 1000"), { clock });
    while (!(await run.tail()).includes("up")) await clock.sleep(20);
    await run.end({ graceMs: 200 });
    expect(await run.ended).toEqual({ kind: "ended" });
  });

  test.skipIf(tmuxBinary === undefined)(
    "works at a terminal that people can watch, and cannot reach the multiplexer",
    async () => {
      const tmux = new TmuxSession({
        binary: tmuxBinary ?? "",
        socket: `nest-sandbox-test-${process.pid}`,
        session: "contributor",
        folder: home,
        environment: { PATH: process.env.PATH ?? "", HOME: home, LANG: "C.UTF-8" },
        mark: `fee6${process.pid.toString(16)}`,
      });
      const lines = `printf '> '; while read -r line; do case $line in *"end of prompt"*)
      tty; ls /tmp; tmux -L nest-sandbox-test-${process.pid} kill-server; echo "NEST_VERDICT: complete"; printf '> ';; esac; done`;
      try {
        const run = await startInteractive(claude, await aStart(lines), { clock, tmux });
        expect(await run.ended).toMatchObject({ kind: "settled", output: expect.stringContaining("error connecting") });
        expect((await tmux.pane()).dead).toBe(true);
      } finally {
        await tmux.close();
      }
    },
  );
});

describe("bubblewrap", () => {
  async function machineWith(body: string | undefined): Promise<string> {
    const folder = join(root, "bin");
    await mkdir(folder);
    if (body !== undefined) await writeFile(join(folder, "bwrap"), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    return folder;
  }

  test.runIf(process.platform === "linux")("that is not installed confines nothing, and that is why", async () => {
    const because = "bubblewrap (bwrap) is not installed";
    expect(await findBubblewrap(await machineWith(undefined))).toEqual({ because });
  });

  test.runIf(process.platform === "linux")(
    "that the system does not let work is refused with the system's words",
    async () => {
      const denied = "echo 'bwrap: No permissions to create new namespace' >&2; exit 1";
      expect(await findBubblewrap(await machineWith(denied))).toEqual({
        because: "this system does not let bubblewrap work: No permissions to create new namespace",
      });
    },
  );

  test.runIf(process.platform === "linux")(
    "that cannot mount a /proc in a container works with the one there is",
    async () => {
      const masked = `case "$*" in *"--proc /proc"*) echo "bwrap: Can't mount proc" >&2; exit 1;; esac`;
      const folder = await machineWith(masked);
      expect(await findBubblewrap(folder, true)).toMatchObject({ works: { proc: "shared", changeUser: undefined } });
      expect(await findBubblewrap(folder, false)).toEqual({
        because: "this system does not let bubblewrap work: Can't mount proc",
      });
    },
  );
});

test("what the environment names is readable: certificates always, the person's login only without a credential", async () => {
  const environment = {
    PATH: "/usr/bin",
    SSL_CERT_FILE: "/srv/ca.pem",
    GH_CONFIG_DIR: "/srv/gh",
    SSH_AUTH_SOCK: "/run/agent.sock",
    XDG_CONFIG_HOME: "/srv/config",
  };
  const own = ["/srv/gh", "/run/agent.sock", "/srv/config/gh"];
  const withOne = await readableFor("/usr/bin/git", { home, environment, hasCredential: true });
  const without = await readableFor("/usr/bin/git", { home, environment, hasCredential: false });
  expect(withOne).toEqual(expect.arrayContaining(["/srv/ca.pem", "/srv/config/git"]));
  expect(own.filter((path) => withOne.includes(path))).toEqual([]);
  expect(own.filter((path) => without.includes(path))).toEqual(own);
  for (const path of [...withOne, ...without]) expect(["/", home, "/tmp", root]).not.toContain(path);
});

describe("the walls", () => {
  const reach = {
    base: "system" as const,
    workspace: "/home/ada/w/work",
    shownHome: "/home/ada",
    privateHome: "/home/ada/w/home",
    emptyTemporary: "/home/ada/w/tmp",
    hidden: ["/var/state"],
    readable: ["/home/ada/.gitconfig"],
    writable: [],
    hiddenFiles: ["/etc/nest.yaml"],
    copies: [["/home/ada/w/own/0", "/srv/codex"]] as const,
    accounts: [],
    user: undefined,
  };
  const asAda = { binary: "/usr/bin/bwrap", proc: "own", changeUser: undefined } as const;
  const argv = ["/usr/bin/claude", "-p", "x"];

  test("are laid in an order in which what is hidden stays hidden", () => {
    const line = bubblewrapArguments(asAda, argv, reach).join(" ");
    const places = [
      "--tmpfs /var/state",
      "--ro-bind /dev/null /etc/nest.yaml",
      "--bind /home/ada/w/tmp /tmp",
      "--bind /home/ada/w/home /home/ada",
      "--ro-bind-try /home/ada/.gitconfig",
      "--bind /home/ada/w/own/0 /srv/codex",
      "--bind /home/ada/w/work /home/ada/w/work",
      "--proc /proc",
      "--cap-drop ALL",
      "-- /usr/bin/claude -p x",
    ].map((part) => line.indexOf(part));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
  });

  test("of root's relay make the agent another user, who has nothing but that change left to do", () => {
    const asRoot = { ...asAda, changeUser: "/usr/bin/setpriv" };
    const line = bubblewrapArguments(asRoot, argv, { ...reach, user: { uid: 61_300, gid: 61_300 } }).join(" ");
    expect(line).toContain(
      "--cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP --cap-add CAP_DAC_READ_SEARCH -- /usr/bin/setpriv ",
    );
    expect(line).toMatch(
      /--reuid 61300 --regid 61300 --clear-groups --bounding-set -all .* -- \/usr\/bin\/claude -p x$/,
    );
  });

  test("in a container show all of it read-only, and close other processes where they are in sight", () => {
    const line = bubblewrapArguments({ ...asAda, proc: "shared" }, argv, { ...reach, base: "everything" }).join(" ");
    expect(line).toMatch(
      /^\/usr\/bin\/bwrap --unshare-user .*--ro-bind \/ \/ .*--bind \/proc \/proc --cap-drop ALL -- /,
    );
  });

  test("that are not wanted leave processes of the run's own", () => {
    expect(inOwnProcesses(asAda, argv).join(" ")).toBe(
      "/usr/bin/bwrap --unshare-user-try --cap-drop ALL --unshare-pid --die-with-parent --dev-bind / / --proc /proc -- /usr/bin/claude -p x",
    );
  });
});
