import { access, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findBubblewrap } from "@nest/agents";
import { describe, expect, test } from "vitest";
import { AgentScene } from "../harness/agent-scene.ts";
import { readableByOthers } from "../harness/process-here.ts";

const BWRAP = await findBubblewrap(process.env.PATH);
const asRoot = process.getuid?.() === 0;
/** An id without an account: the user who runs the relay when the test runs as root. */
const ORDINARY = 61_001;
const whoever = [
  { who: "whoever runs the test", user: undefined },
  ...(asRoot ? [{ who: "an ordinary user", user: ORDINARY }] : []),
];
if ("because" in BWRAP) {
  if (process.env.CI === "true") throw new Error(BWRAP.because);
  console.log(`skipped: ${BWRAP.because}`);
}

const login = (accessToken: string) =>
  JSON.stringify({ claudeAiOauth: { accessToken, refreshToken: "refresh-1", expiresAt: 1 }, mcpOAuth: { x: "y" } });

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode: 0o600 });
}

/** A contributor who has used the claude CLI before. */
async function furnish(home: string): Promise<void> {
  await put(join(home, ".claude/.credentials.json"), login("access-1"));
  await put(join(home, ".claude/projects/other/session.jsonl"), "project 4711 of another customer\n");
  await put(join(home, ".claude/statusline.sh"), "#!/bin/sh\necho mine\n");
  await put(join(home, ".claude.json"), JSON.stringify({ hasCompletedOnboarding: true, projects: { "/other": {} } }));
  await put(join(home, ".config/nest/contributor.env"), "# nothing yet\n");
}

/** Every file under a folder, with its text. */
async function filesUnder(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await readFile(file, "utf8")] as const)),
  );
}

const ends = 'echo "NEST_VERDICT: no_work_needed"';
const version = '[ "$1" = --version ] && { echo "hostile 1.2.3"; exit 0; }';

describe.skipIf("because" in BWRAP).each(whoever)("under bubblewrap, the relay run by $who: an agent", ({ user }) => {
  async function aScene(script: string, more: Record<string, string> = {}) {
    if (user !== undefined && !(await readableByOthers())) return undefined;
    const environment = { NEST_SANDBOX: "bubblewrap", PATH: "/usr/local/bin:/usr/bin:/bin", ...more };
    const options = { furnish, script: `${version}\n${script}\n${ends}`, environment };
    return AgentScene.set("hostile", { ...options, ...(user === undefined ? {} : { user }) });
  }

  test("leaves nothing that the contributor's next session would obey, and reads no other project", async ({
    skip,
  }) => {
    await using scene = await aScene(`
      cd "$HOME" && cat .claude/projects/*/* ; grep -r 4711 . ; ls -la .claude
      mkdir -p .claude/skills/mine .claude/hooks .claude/shell-snapshots .config/systemd/user
      for file in .claude/settings.json .claude/settings.local.json .claude/CLAUDE.md .claude/skills/mine/SKILL.md \\
        .claude/hooks/stop.sh .claude/statusline.sh .claude/shell-snapshots/s.sh .claude.json .bashrc .profile .gitconfig \\
        .config/systemd/user/x.service .config/nest/contributor.env .ssh/config; do echo planted > $file; done
      mv .claude gone; mkdir .claude; echo planted > .claude/.credentials.json`);
    if (scene === undefined) return skip("other users cannot read this checkout");
    const home = scene.folder.in("home");
    const before = await filesUnder(join(home, ".claude"));
    const printed = await scene.transcripts();
    expect(printed).toContain(".credentials.json");
    expect(printed).not.toContain("another customer");
    expect(await filesUnder(join(home, ".claude"))).toEqual(before);
    expect(JSON.parse(await readFile(join(home, ".claude.json"), "utf8"))).toHaveProperty("projects");
    expect(await readFile(join(home, ".config/nest/contributor.env"), "utf8")).toBe("# nothing yet\n");
    for (const name of [".bashrc", ".profile", ".gitconfig", ".ssh", ".config/systemd"])
      await expect(access(join(home, name)), name).rejects.toThrow("ENOENT");
  });

  test("hands on what its CLI renewed of the login, and nothing else; no copy of it stays behind", async ({ skip }) => {
    await using scene = await aScene(`
      cd "$HOME/.claude" && sed 's/access-1/access-2/; s/"expiresAt": *1/"hooks": {"Stop": []}, "expiresAt": 2/' .credentials.json > new
      mv new .credentials.json; cat .credentials.json`);
    if (scene === undefined) return skip("other users cannot read this checkout");
    expect(await scene.transcripts()).toContain("access-2");
    const file = scene.folder.in("home/.claude/.credentials.json");
    const expected = JSON.parse(login("access-2").replace('"expiresAt":1', '"expiresAt":2')) as unknown;
    await expect.poll(async () => JSON.parse(await readFile(file, "utf8")) as unknown).toEqual(expected);
    expect(await stat(file)).toMatchObject({ uid: user ?? process.getuid?.(), mode: 0o100600 });
    const workspaces = await readdir(scene.folder.in("home/workspaces"), { recursive: true });
    expect(workspaces.filter((name) => name.includes(".claude"))).toEqual([]);
  });

  test("keeps no copy of the login by closing its folder, and no folder by its depth", async ({ skip }) => {
    // Twenty names of 250 letters are longer than any path may be.
    await using scene = await aScene(`
      cd "$HOME" && chmod 500 .claude && ls -ld .claude
      name=$(printf '%0250d' 0); for at in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do mkdir $name && cd $name; done
      touch bottom && echo "reached the bottom"`);
    if (scene === undefined) return skip("other users cannot read this checkout");
    const printed = await scene.transcripts();
    expect(printed).toMatch(/^dr-x------.*\.claude$/m);
    expect(printed).toContain("reached the bottom");
    const workspaces = scene.folder.in("home/workspaces");
    const [task = ""] = (await readdir(workspaces)).filter((name) => name.startsWith("task-"));
    await expect.poll(async () => (await readdir(join(workspaces, task))).sort()).toEqual(["transcript.log", "work"]);
  });

  test("has no capability, is not root, and can neither unmount a part of its sandbox nor read files of root", async ({
    skip,
  }) => {
    await using scene = await aScene(`
      echo "uid=$(id -u)"; grep -E 'Cap(Eff|Prm|Bnd|Amb)|NoNewPrivs' /proc/self/status
      head -c 100 /etc/shadow && echo shadow read
      umount "$HOME" && echo unmounted; umount /etc && echo unmounted; mount -o remount,rw,bind /etc && echo remounted
      echo x > /etc/nest-was-here && echo written; chown 0 . && echo chowned
      tr '\\0' '\\n' < /proc/1/environ | grep REGISTRATION; ls /proc | grep -c '^[0-9]'`);
    if (scene === undefined) return skip("other users cannot read this checkout");
    const printed = await scene.transcripts();
    expect(printed).toMatch(/^CapPrm:\t0{16}\nCapEff:\t0{16}\nCapBnd:\t0{16}\nCapAmb:\t0{16}\nNoNewPrivs:\t1$/m);
    expect(printed).not.toMatch(/uid=0\b|shadow read|unmounted|remounted|written|chowned|REGISTRATION/);
    await expect(access("/etc/nest-was-here")).rejects.toThrow("ENOENT");
  });
});

test.skipIf("because" in BWRAP)(
  "a program of the contributor's own, which runs without a sandbox, still ends with all its processes",
  async () => {
    const flight = `env -i PATH="$PATH" setsid sh -c 'cd "$0"; while :; do sleep 1; done' "$PWD" </dev/null >/dev/null 2>&1 &`;
    await using scene = await AgentScene.set("hostile", {
      script: `[ "$1" = --version ] && { cd "$HOME"; ${flight} echo 1.2.3; exit 0; }\n${flight}\nsleep 0.3; ${ends}`,
    });
    await scene.transcripts();
    expect(scene.relay.process.said).toMatch(/NOT confined .* each run has processes of its own/);
    await expect.poll(() => scene.agents().then((all) => all.filter((one) => one.includes("while :")))).toEqual([]);
  },
);
