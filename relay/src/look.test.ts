import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lookAt } from "./look.ts";
import { readConfig } from "./settings/config.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "nest-look-"));
  await mkdir(join(home, "bin"));
  await mkdir(join(home, ".claude"));
  for (const name of ["claude", "git"]) {
    await writeFile(join(home, "bin", name), "#!/bin/sh\n");
    await chmod(join(home, "bin", name), 0o755);
  }
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function look(more: Record<string, string> = {}) {
  const environment = {
    NEST_HUB: "ws://hub.example/contribute",
    NEST_REGISTRATION_TOKEN: "f".repeat(64),
    CONTRIBUTOR_MODE: "headless",
    HOME: home,
    PATH: join(home, "bin"),
    ...more,
  };
  return lookAt(readConfig(environment), environment);
}

const login = (claudeAiOauth: object) =>
  writeFile(join(home, ".claude/.credentials.json"), JSON.stringify({ claudeAiOauth }));
const ago = Date.now() - 1000;

describe("a look at this machine", () => {
  test("finds the agent's program, and no trouble where none shows", async () => {
    expect(await look()).toEqual({ binary: join(home, "bin/claude"), trouble: undefined, login: undefined });
  });

  test("finds the contributor's own login, by variable or by file", async () => {
    expect((await look({ GITHUB_TOKEN: "ghp_x" })).login).toBe("pat");
    await mkdir(join(home, ".config/gh"), { recursive: true });
    await writeFile(join(home, ".config/gh/hosts.yml"), "github.com:\n    oauth_token: gho_x\n");
    expect((await look()).login).toBe("oauth");
  });

  test.each([
    ["is not on PATH", { PATH: "/nowhere" }, "agent command not found: claude is not on PATH"],
    ["is not where it was said to be", { NEST_AGENT_COMMAND: "/nowhere/a" }, "agent command not found: /nowhere/a"],
    ["has no headless mode", { AGENT_BACKEND: "bob" }, "backend bob has no headless mode"],
  ])("says that the agent %s", async (_, environment, trouble) => {
    expect(await look(environment)).toMatchObject({ trouble });
  });

  test("says that git is not there, without which no task can be cloned", async () => {
    await rm(join(home, "bin/git"));
    expect((await look()).trouble).toBe("git is not on PATH: no task could be cloned");
  });

  test("says that a login has expired that cannot renew itself", async () => {
    await login({ accessToken: "a", expiresAt: ago });
    expect((await look()).trouble).toBe("the login of claude has expired: start claude once and sign in");
  });

  test.each([
    ["it can renew itself", { accessToken: "a", refreshToken: "r", expiresAt: ago }, {}],
    ["it lasts", { accessToken: "a", expiresAt: Date.now() + 60_000 }, {}],
    ["it does not say until when", { accessToken: "a" }, {}],
    ["another credential stands in", { accessToken: "a", expiresAt: ago }, { ANTHROPIC_API_KEY: "k" }],
    ["another program stands in", { accessToken: "a", expiresAt: ago }, { NEST_AGENT_COMMAND: "claude" }],
  ])("takes a login for good when %s", async (_, kept, environment) => {
    await login(kept);
    expect((await look(environment)).trouble).toBeUndefined();
  });
});
