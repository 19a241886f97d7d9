import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DEMO_CONTRIBUTORS } from "@nest/local-codehost";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { ContributorMachine } from "../harness/contributor-machine.ts";

const [contributor] = DEMO_CONTRIBUTORS;

/** A folder with all programs of the system but one. */
async function without(machine: ContributorMachine, program: string): Promise<string> {
  const folder = machine.folder.in(`without-${program}`);
  await mkdir(folder);
  for (const name of await readdir("/usr/bin"))
    if (name !== program) await symlink(join("/usr/bin", name), join(folder, name));
  return folder;
}

test("contribute-setup registers, proves the login only when asked and says so, and keeps the token 0600; a second time it offers a new one", async () => {
  await using machine = await ContributorMachine.make();
  const first = await machine.run("contribute-setup", ["claude"]);
  expect(first.code, first.said).toBe(0);
  expect(first.said).toMatch(/sending your code-host token \(GH_TOKEN\) to 127\.0\.0\.1:\d+, once/);
  expect(first.out).toContain("contribute-hive claude");
  const kept = await machine.kept();
  expect(kept).toMatchObject({
    NEST_HUB: machine.environment.NEST_HUB,
    AGENT_BACKEND: "claude",
    CONTRIBUTOR_USERNAME: contributor.login,
  });
  expect(kept.NEST_REGISTRATION_TOKEN).toMatch(/^[0-9a-f]{64}$/);
  expect((await stat(machine.envFile)).mode & 0o777).toBe(0o600);
  expect(first.out + first.said).not.toContain(kept.NEST_REGISTRATION_TOKEN);
  expect(first.out + first.said).not.toContain(contributor.token);

  const again = await machine.run("contribute-setup", ["claude"]);
  expect(again.code).toBe(1);
  expect(again.said).toMatch(/registered at this hub already.*\n.*-reissue/);
  expect(await machine.kept()).toEqual(kept);

  const reissued = await machine.run("contribute-setup", ["codex", "-reissue"]);
  expect(reissued.code, reissued.said).toBe(0);
  const now = await machine.kept();
  expect(now.NEST_REGISTRATION_TOKEN).not.toBe(kept.NEST_REGISTRATION_TOKEN);
  expect(now).toMatchObject({ NEST_HUB: kept.NEST_HUB, CONTRIBUTOR_ID: kept.CONTRIBUTOR_ID, AGENT_BACKEND: "codex" });
  expect(await readFile(`${machine.envFile}.bak`, "utf8")).toContain(kept.NEST_REGISTRATION_TOKEN);
});

test("contribute-setup keeps where the code host is, for shells that do not say; one relay's hubs have one code host", async () => {
  await using machine = await ContributorMachine.make();
  await machine.run("contribute-setup", ["claude"]);
  expect(await machine.kept()).toMatchObject({ NEST_GITHUB_API_URL: machine.environment.NEST_GITHUB_API_URL });
  const elsewhere = await machine.run("contribute-check", ["claude", "-quick"], { NEST_GITHUB_API_URL: "" });
  expect(elsewhere.code, elsewhere.said + elsewhere.out).toBe(0);
  const other = { NEST_GITHUB_API_URL: "http://127.0.0.1:9/api/v3" };
  const second = await machine.run("contribute-setup", ["claude", "-hub", "ws://127.0.0.1:9/contribute"], other);
  expect(second).toMatchObject({
    code: 2,
    said: expect.stringContaining("the hubs kept here work with another code host"),
  });
});

test("contribute-setup with a gap registers nobody and says which", async () => {
  await using machine = await ContributorMachine.make();
  const gap = await machine.run("contribute-setup", ["claude"], { NEST_AGENT_COMMAND: "no-such-agent" });
  expect(gap.code).toBe(1);
  expect(gap.said).toContain("no-such-agent is not on PATH");
  await expect(stat(machine.envFile)).rejects.toThrow("ENOENT");
});

test("with -container this machine needs no agent CLI, no git and no sandbox: the image holds them; agy works on no image", async () => {
  await using machine = await ContributorMachine.make();
  const nothing = { NEST_AGENT_COMMAND: "no-such-agent", ANTHROPIC_API_KEY: "sk-key" };
  expect((await machine.run("contribute-check", ["claude", "-quick"], nothing)).out).toContain("or -container");
  const checked = await machine.run("contribute-check", ["claude", "-container"], nothing);
  expect(checked.code, checked.out).toBe(0);
  expect(checked.out).toContain("✓ agent CLI          claude, in the image");
  expect(checked.out).not.toMatch(/^. (git|sandbox|tmux) /m);
  expect((await machine.run("contribute-setup", ["agy", "-container"], nothing)).code).toBe(1);
  const set = await machine.run("contribute-setup", ["claude", "-container"], nothing);
  expect(set.code, set.said).toBe(0);
  expect(set.out).toContain(
    "Start the relay with: contribute-hive claude, in a container; on a cluster with: contribute-k8s",
  );
});

test("contribute-check tells each thing with its remedy; 0 when all is there, 1 on a gap, 2 on wrong usage", async () => {
  await using machine = await ContributorMachine.make();
  const ready = await machine.run("contribute-check", ["claude", "-json"]);
  expect(ready.code).toBe(0);
  const { ok, checks } = JSON.parse(ready.out) as {
    ok: boolean;
    checks: { name: string; ok: boolean; detail: string }[];
  };
  expect(ok).toBe(true);
  expect(checks.find(({ name }) => name === "agent CLI")?.detail).toContain("agent 1.2.3");
  expect(checks.find(({ name }) => name === "code-host login")?.detail).toBe(`${contributor.login}, by GH_TOKEN`);
  const bare = { PATH: `${machine.folder.in("bin")}:${await without(machine, "bwrap")}` };
  const unconfined = await machine.run("contribute-check", ["claude"], bare);
  expect(unconfined.code).toBe(0);
  expect(unconfined.out).toMatch(/– sandbox .*not installed\n\s+→ install bubblewrap, or run the relay in a container/);
  const gap = await machine.run("contribute-check", ["claude"], { GH_TOKEN: "ghp_wrong" });
  expect(gap.code).toBe(1);
  expect(gap.out).toMatch(/✗ code-host login .*refuses the token[\s\S]*→ gh auth login/);
  expect((await machine.run("contribute-check", ["clod"])).code).toBe(2);
});

test("contribute-check shows the session name: kept, configured, or not made yet", async () => {
  await using machine = await ContributorMachine.make();
  const session = async (environment: Record<string, string> = {}) => {
    const { out } = await machine.run("contribute-check", ["claude", "-json"], environment);
    const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: { name: string; detail: string }[] };
    return [ok, checks.find(({ name }) => name === "session")?.detail];
  };
  expect(await session()).toEqual([true, "made when the relay starts for the first time"]);
  expect(await session({ NEST_SESSION: "laptop" })).toEqual([true, "laptop (NEST_SESSION)"]);
  expect(await session({ NEST_SESSION: "not a name" })).toEqual([false, "NEST_SESSION is no name"]);
  const state = machine.folder.in("home", ".local/state/nest");
  await mkdir(state, { recursive: true });
  await writeFile(join(state, "session"), "relay-0a1b2c3d\n");
  expect(await session()).toEqual([true, "relay-0a1b2c3d"]);
});

test("contribute-hive runs a container with secrets on standard input, never on the command line or in its environment", async () => {
  await using machine = await ContributorMachine.make();
  const unregistered = await machine.run("contribute-hive", ["claude"]);
  expect(unregistered).toMatchObject({ code: 1, said: expect.stringContaining("contribute-setup claude") });
  await machine.run("contribute-setup", ["claude"]);
  const started = await machine.run("contribute-nest", ["claude"], { ANTHROPIC_API_KEY: "sk-very-secret-key" });
  expect(started.code, started.said).toBe(0);
  const given = await readFile(machine.folder.in("docker-arguments"), "utf8");
  const { NEST_REGISTRATION_TOKEN: token = "" } = await machine.kept();
  for (const secret of [token, contributor.token, "sk-very-secret-key"]) expect(given).not.toContain(secret);
  expect(given).toMatch(/^--env\nNEST_SECRETS_FROM=-$/m);
  expect(given).not.toMatch(/^--env\n\w+(?:KEY|TOKEN)$/m);
  expect(JSON.parse(await readFile(machine.folder.in("docker-input"), "utf8"))).toMatchObject({
    ANTHROPIC_API_KEY: "sk-very-secret-key",
    NEST_REGISTRATION_TOKEN: token,
  });
});

test("contribute-k8s writes hardened objects with mode 0600, and warns where a backend cannot authenticate in a pod", async () => {
  await using machine = await ContributorMachine.make();
  expect(await machine.run("contribute-k8s", [])).toMatchObject({
    code: 1,
    said: expect.stringContaining("not registered"),
  });
  await machine.run("contribute-setup", ["claude"]);
  expect((await machine.run("contribute-k8s", ["Not_A_Namespace"])).code).toBe(2);
  const file = machine.folder.in("relay.yaml");
  const written = await machine.run("contribute-k8s", ["lab", file, "1.2"], {
    ANTHROPIC_API_KEY: "sk-very-secret-key",
  });
  expect(written.code, written.said).toBe(0);
  expect(written.out).toBe("");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const [namespace, config, secret, deployment] = parseAllDocuments(await readFile(file, "utf8")).map((document) =>
    document.toJS(),
  );
  const { NEST_REGISTRATION_TOKEN: token } = await machine.kept();
  expect(namespace).toMatchObject({ kind: "Namespace", metadata: { name: "lab" } });
  expect(config.data).toMatchObject({
    CONTRIBUTOR_MODE: "headless",
    AGENT_BACKEND: "claude",
    NEST_HUB: machine.environment.NEST_HUB,
  });
  expect(JSON.stringify(config)).not.toContain(token);
  expect(secret.stringData).toMatchObject({
    NEST_REGISTRATION_TOKEN: token,
    GH_TOKEN: contributor.token,
    ANTHROPIC_API_KEY: "sk-very-secret-key",
  });
  const pod = deployment.spec.template.spec;
  expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: "Recreate" } });
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true });
  expect(pod.containers[0]).toMatchObject({
    image: "localhost/nest-relay:1.2",
    securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
  });
  const keyless = await machine.run("contribute-k8s", []);
  expect(keyless.said).toContain("in a pod is the pod itself: change it in contributor.env");
  expect(keyless).toMatchObject({ code: 0, out: expect.stringContaining("kind: Deployment") });
  expect(keyless.said).toContain("warning: no credential of claude is in the environment");
  const aider = await machine.run("contribute-k8s", [], { AGENT_BACKEND: "aider", ANTHROPIC_API_KEY: "k" });
  expect(aider).toMatchObject({ code: 0, said: expect.stringContaining("warning: aider has no headless mode") });
  const agy = await machine.run("contribute-k8s", [], { AGENT_BACKEND: "agy" });
  expect(agy).toMatchObject({ code: 1, out: "", said: expect.stringContaining("warning: agy") });
  const forced = await machine.run("contribute-k8s", [], {
    AGENT_BACKEND: "agy",
    NEST_K8S_ALLOW_MISSING_BACKEND_CREDENTIALS: "1",
  });
  expect(forced).toMatchObject({ code: 0, said: expect.stringContaining("warning: agy") });
});

test("the probes of contribute-k8s pass on a fresh waiting, working or done, and fail on anything else", async () => {
  await using machine = await ContributorMachine.make();
  await machine.run("contribute-setup", ["claude"]);
  const { out } = await machine.run("contribute-k8s", [], { ANTHROPIC_API_KEY: "sk-very-secret-key" });
  const deployment = parseAllDocuments(out).map((document) => document.toJS())[3];
  const [, , source] = deployment.spec.template.spec.containers[0].readinessProbe.exec.command as string[];
  const file = machine.folder.in("status.json");
  const probe = (source ?? "").replaceAll("/run/nest/status.json", file);
  const passes = async (state: string, ageSeconds: number) => {
    await writeFile(
      file,
      JSON.stringify({ state, updated_at: new Date(Date.now() - ageSeconds * 1000).toISOString() }),
    );
    const { spawnSync } = await import("node:child_process");
    return spawnSync(process.execPath, ["-e", probe]).status === 0;
  };
  expect([await passes("waiting", 1), await passes("working", 60), await passes("done", 1)]).toEqual([
    true,
    true,
    true,
  ]);
  expect([await passes("failed", 1), await passes("refused", 1), await passes("waiting", 300)]).toEqual([
    false,
    false,
    false,
  ]);
});
