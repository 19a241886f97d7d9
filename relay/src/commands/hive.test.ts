import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CommandDeps } from "./command.ts";
import { contributeHive } from "./hive.ts";

let folder: string;
let ran: { file: string; args: readonly string[]; input: string | undefined }[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "nest-hive-test-"));
  ran = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A machine with these programs and no others, registered at a hub. */
async function machine(programs: readonly string[], more: Record<string, string> = {}): Promise<CommandDeps> {
  await mkdir(join(folder, "bin"), { recursive: true });
  for (const name of programs) {
    await writeFile(join(folder, "bin", name), "#!/bin/sh\n");
    await chmod(join(folder, "bin", name), 0o755);
  }
  const environment = {
    PATH: join(folder, "bin"),
    HOME: folder,
    NEST_HUB: "wss://hub.example/contribute",
    NEST_REGISTRATION_TOKEN: "very-secret",
    ...more,
  };
  return {
    environment,
    out: { write: () => undefined },
    error: { write: () => undefined },
    fetch,
    run: (file, args, _environment, input) => {
      ran.push({ file, args, input });
      return Promise.resolve(0);
    },
    read: () => Promise.resolve(undefined),
  };
}

const runtime = () => ran[0]?.file.split("/").at(-1);

describe("contribute-hive", () => {
  test("takes docker first, then podman", async () => {
    await contributeHive(["claude"], await machine(["docker", "podman"]));
    await rm(join(folder, "bin/docker"));
    await contributeHive(["claude"], await machine(["podman"]));
    expect(ran.map(({ file }) => file.split("/").at(-1))).toEqual(["docker", "podman"]);
  });

  test("takes the one that NEST_CONTAINER_RUNTIME forces, and never another", async () => {
    await contributeHive(["claude"], await machine(["docker", "podman"], { NEST_CONTAINER_RUNTIME: "podman" }));
    expect(runtime()).toBe("podman");
    const without = machine([], { NEST_CONTAINER_RUNTIME: "docker" });
    await rm(join(folder, "bin/docker"));
    await expect(contributeHive(["claude"], await without)).rejects.toThrow("docker is not on PATH");
  });

  test("says what to do where there is none", async () => {
    await expect(contributeHive(["claude"], await machine([]))).rejects.toThrow("neither docker nor podman is on PATH");
    const none = machine(["docker"], { NEST_CONTAINER_RUNTIME: "none" });
    await expect(contributeHive(["claude"], await none)).rejects.toThrow("NEST_CONTAINER_RUNTIME: none");
  });

  test("keeps agy out of containers", async () => {
    await expect(contributeHive(["agy"], await machine(["docker"]))).rejects.toThrow("agy works on the host only");
    expect(ran).toEqual([]);
  });

  test("runs without rights, without an init that the host may lack, and hands secrets over on standard input", async () => {
    await contributeHive(["litellm"], await machine(["docker"], { NEST_LITELLM_API_KEY: "also-secret" }));
    const line = ran[0]?.args.join(" ") ?? "";
    expect(line).toMatch(/^run --rm --interactive --name nest-relay --security-opt no-new-privileges --cap-drop ALL /);
    expect(line).toContain("--env NEST_SECRETS_FROM=- ");
    expect(line).not.toMatch(/--env NEST_(?:LITELLM_API_KEY|REGISTRATION_TOKEN)/);
    const handed = { NEST_REGISTRATION_TOKEN: "very-secret", NEST_LITELLM_API_KEY: "also-secret" };
    expect(JSON.parse(ran[0]?.input ?? "")).toEqual(handed);
    expect(line).toContain("--env NEST_CONTAINER=1 --env NEST_ATTACH_PREFIX=docker exec -it nest-relay ");
    expect(line).not.toMatch(/very-secret|also-secret/);
  });

  test("at a terminal hands them over by name: standard input is the person's", async () => {
    await contributeHive(["claude"], await machine(["docker"], { CONTRIBUTOR_MODE: "interactive" }));
    const line = ran[0]?.args.join(" ") ?? "";
    expect(line).toMatch(/^run --rm --interactive --tty .*--env NEST_REGISTRATION_TOKEN /);
    expect(line).not.toContain("very-secret");
    expect(ran[0]?.input).toBeUndefined();
  });
});
