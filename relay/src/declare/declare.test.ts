import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@nest/kit";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { readConfig } from "../settings/config.ts";
import { probeFacts } from "./declare.ts";

let folder: string;
let marks = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-declare-test-"));
  await mkdir(join(folder, "bin"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function program(name: string, body: string): Promise<string> {
  const path = join(folder, "bin", name);
  await writeFile(path, `#!/bin/sh\n${body}\n`);
  await chmod(path, 0o755);
  return path;
}

function facts(more: Record<string, string> = {}, binary?: string) {
  const environment = {
    PATH: join(folder, "bin"),
    HOME: folder,
    NEST_HUB: "ws://a",
    NEST_REGISTRATION_TOKEN: "t",
    ...more,
  };
  const mark = `fee7${process.pid.toString(16)}${(marks++).toString(16)}`;
  const probe = { environment: { PATH: "/usr/bin:/bin" }, clock: systemClock(), mark };
  return probeFacts(readConfig(environment), { environment, binary, probe });
}

describe("the declared facts", () => {
  test("name docker, else podman, else none as the container runtime", async () => {
    expect((await facts()).container_runtime).toBe("none");
    await program("podman", "");
    expect((await facts()).container_runtime).toBe("podman");
    await program("docker", "");
    expect((await facts()).container_runtime).toBe("docker");
  });

  test("name the credential's type: app, then pat, then oauth, and none without evidence", async () => {
    expect((await facts()).credential_type).toBeUndefined();
    await mkdir(join(folder, ".config/gh"), { recursive: true });
    await writeFile(join(folder, ".config/gh/hosts.yml"), "github.com:\n    user: ada\n");
    expect((await facts()).credential_type).toBe("oauth");
    expect((await facts({ GH_TOKEN: "x" })).credential_type).toBe("pat");
    await writeFile(join(folder, "cache"), "x");
    expect((await facts({ GH_TOKEN: "x", NEST_GH_TOKEN_CACHE: join(folder, "cache") })).credential_type).toBe("app");
  });

  test("hold one short printable line of the CLI's version, and leave out what cannot be known", async () => {
    const loud = await program("loud", `printf '\\n\\033[31m%s 1.2.3\\033[0m\\nmore\\n' ${"x".repeat(100)}`);
    const { agent_cli_version: version = "" } = await facts({}, loud);
    expect(version).toMatch(/^x{64}$/);
    expect((await facts({}, await program("mute", "exit 1"))).agent_cli_version).toBeUndefined();
    expect((await facts()).agent_cli_version).toBeUndefined();
  });
});
