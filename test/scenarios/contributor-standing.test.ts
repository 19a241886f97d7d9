import { mkdir, writeFile } from "node:fs/promises";
import { DEMO_CONTRIBUTORS } from "@nest/local-codehost";
import { expect, test } from "vitest";
import { ContributorMachine, script } from "../harness/contributor-machine.ts";
import { ProcessHere } from "../harness/process-here.ts";

const [contributor] = DEMO_CONTRIBUTORS;
/** Each test starts a dozen processes. */
const SLOW_MS = 120_000;
type Checks = {
  readonly ok: boolean;
  readonly checks: { name: string; ok: boolean; detail: string; remedy?: string }[];
};

async function checks(machine: ContributorMachine, more: Record<string, string> = {}): Promise<Checks> {
  const { out, said } = await machine.run("contribute-check", ["claude", "-json"], more);
  return JSON.parse(out === "" ? `{"said":${JSON.stringify(said)}}` : out) as Checks;
}
const one = ({ checks: all }: Checks, name: string) => all.find((check) => check.name.startsWith(name));

test(
  "nest relay status tells tier and what the next one needs, limits, relays and tasks, and which run on this machine",
  async () => {
    await using machine = await ContributorMachine.make();
    await script(machine.folder.in("bin/agent"), 'echo "NEST_VERDICT: no_work_needed it is there already"');
    await machine.run("contribute-setup", ["claude"]);
    await machine.hub.refresh();
    const before = await machine.run("nest", ["relay", "status"]);
    expect(before.code, before.said).toBe(0);
    expect(before.out).toMatch(/^no relay runs on this machine\n\n127\.0\.0\.1:\d+: \w[\w-]*, newcomer\n/);
    expect(before.out).toContain("0 verified pull requests; 5 more make you contributor");
    expect(before.out).toContain("3 of 3 left this hour; 10 of 10 left today; 1 of 1 left at once");
    expect(before.out).toMatch(/relays {6}none is connected\n {2}last tasks {2}none yet/);

    await using relay = new ProcessHere("nest", ["relay"], { ...machine.environment, CONTRIBUTOR_MODE: "headless" });
    await expect
      .poll(async () => (await machine.run("nest", ["relay", "status"])).out, { timeout: 20_000, message: relay.said })
      .toMatch(
        /running on this machine: (relay-\w+)[\s\S]*relays {6}\1 \(here\): [\s\S]*meadow\/tide-clock#\d+: nothing left to do/,
      );
    const data = await machine.run("nest", ["relay", "status", "-json"]);
    expect(JSON.parse(data.out)).toMatchObject({ hubs: [{ contributor: { github_username: contributor.login } }] });
  },
  SLOW_MS,
);

test(
  "nest relay status and contribute-check say what to do where a hub is away, and where it does not know the token",
  async () => {
    await using machine = await ContributorMachine.make();
    await machine.run("contribute-setup", ["claude"]);
    const wrong = { NEST_REGISTRATION_TOKEN: "f".repeat(64) };
    const unknown = await machine.run("nest", ["relay", "status"], wrong);
    expect(unknown).toMatchObject({ code: 1, out: expect.stringContaining("does not know this registration token") });
    expect(unknown.out).toMatch(/contribute-setup <backend> -hub ws:\/\/127\.0\.0\.1:\d+\/contribute -reissue/);
    const away = await machine.run("nest", ["relay", "status"], {
      ...wrong,
      NEST_HUB: "ws://127.0.0.1:9/contribute",
    });
    expect(away).toMatchObject({ code: 1, out: expect.stringContaining("127.0.0.1:9: does not answer") });
    const checked = await checks(machine, wrong);
    expect(checked.ok).toBe(false);
    expect(one(checked, "hub ")).toMatchObject({ ok: false, remedy: expect.stringContaining("-reissue") });
  },
  SLOW_MS,
);

test(
  "contribute-check tests the token against the hub, the clock, the disk, and asks the agent for one word",
  async () => {
    await using machine = await ContributorMachine.make();
    const real = { NEST_AGENT_COMMAND: "", ANTHROPIC_API_KEY: "k" };
    const claude = (body: string) =>
      script(machine.folder.in("bin/claude"), `case "$1" in --version) echo 9.9.9;; *) ${body};; esac`);
    await claude("echo ready");
    const before = await checks(machine, real);
    await mkdir(machine.folder.in("home"), { recursive: true });
    // claude makes this file when it is started, also by somebody who never signs in.
    await writeFile(machine.folder.in("home/.claude.json"), '{"theme":"dark"}');
    expect(one(await checks(machine, { NEST_AGENT_COMMAND: "" }), "agent credential")?.ok).toBe(false);
    await writeFile(machine.folder.in("home/.claude.json"), '{"oauthAccount":{"emailAddress":"ada@x.example"}}');
    expect(one(await checks(machine, { NEST_AGENT_COMMAND: "" }), "agent credential")?.ok).toBe(true);
    expect(one(before, "registration")?.detail).toContain("none yet");
    await machine.run("contribute-setup", ["claude"]);
    const ready = await checks(machine, real);
    expect(ready.ok).toBe(true);
    expect(one(ready, "hub ")?.detail).toBe(`knows the token: ${contributor.login}, newcomer`);
    expect(one(ready, "clock")).toMatchObject({ ok: true, detail: expect.stringMatching(/^\d+ s from the hub's$/) });
    expect(one(ready, "disk")?.detail).toMatch(/GiB free for workspaces/);
    expect(one(ready, "agent answers")).toMatchObject({ ok: true, detail: "yes: ready" });

    await claude("echo 'Invalid API key. Please run /login' >&2; exit 1");
    const out = await checks(machine, real);
    expect(out.ok).toBe(false);
    expect(one(out, "agent answers")).toMatchObject({ ok: false, remedy: "start claude once and sign in" });
    await claude("echo 'the model is overloaded' >&2; exit 1");
    expect(one(await checks(machine, real), "agent answers")).toMatchObject({
      ok: false,
      detail: expect.stringContaining("overloaded"),
    });
    expect((await checks(machine, real)).ok).toBe(true);
    const quick = await machine.run("contribute-check", ["claude", "-json", "-quick"], real);
    expect(one(JSON.parse(quick.out) as Checks, "agent answers")).toBeUndefined();
  },
  SLOW_MS,
);
