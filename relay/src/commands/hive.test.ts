import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CommandDeps } from "./command.ts";
import { contributeHive } from "./hive.ts";

let folder: string;
let ran: { file: string; args: readonly string[]; input: string | undefined }[];

let told: string[];
let ranEnvironment: Readonly<Record<string, string | undefined>> | undefined;
let images: Set<string>;
let atTerminal: boolean;

beforeEach(async () => {
  told = [];
  images = new Set(["localhost/nest-relay:latest"]);
  atTerminal = false;
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
    error: { isTTY: atTerminal, write: (text) => told.push(text) },
    fetch,
    run: (file, args, given, input) => {
      ranEnvironment = given;
      ran.push({ file, args, input });
      return Promise.resolve(0);
    },
    attempt: () => Promise.resolve(undefined),
    now: () => 0,
    read: (_file, args) =>
      Promise.resolve(args[0] === "image" && images.has(args.at(-1) ?? "") ? "sha256:0" : undefined),
  };
}

const said = () => told.join("");
const names = () => (ran[0]?.args ?? []).flatMap((arg, at, all) => (all[at - 1] === "--env" ? [arg] : []));

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
    atTerminal = true;
    await contributeHive(["claude"], await machine(["docker"], { CONTRIBUTOR_MODE: "interactive" }));
    const line = ran[0]?.args.join(" ") ?? "";
    expect(line).toMatch(/^run --rm --interactive --tty .*--env NEST_REGISTRATION_TOKEN /);
    expect(line).not.toContain("very-secret");
    expect(ran[0]?.input).toBeUndefined();
  });

  test("gives an interactive agent no terminal where the person has none", async () => {
    await contributeHive(["claude"], await machine(["docker"], { CONTRIBUTOR_MODE: "interactive" }));
    expect(ran[0]?.args).not.toContain("--tty");
    expect(JSON.parse(ran[0]?.input ?? "")).toMatchObject({ NEST_REGISTRATION_TOKEN: "very-secret" });
  });

  test("runs an agent without headless mode interactively, and refuses to run it headless", async () => {
    const deps = await machine(["docker"], { ANTHROPIC_API_KEY: "k" });
    await contributeHive(["aider"], deps);
    expect(names()).toContain("CONTRIBUTOR_MODE");
    expect(ranEnvironment?.CONTRIBUTOR_MODE).toBe("interactive");
    const headless = await machine(["docker"], { CONTRIBUTOR_MODE: "headless" });
    await expect(contributeHive(["aider"], headless)).rejects.toThrow("aider has no headless mode");
  });

  test("beside a key of the environment the settings of the CLI go along, and no second login", async () => {
    await mkdir(join(folder, ".codex"), { recursive: true });
    const settings = 'model_provider = "ours"\n[model_providers.ours]\nbase_url = "https://models.example/v1"\n';
    await writeFile(join(folder, ".codex/config.toml"), `${settings}[mcp_servers.mail]\ncommand = "mail"\n`);
    await writeFile(join(folder, ".codex/auth.json"), JSON.stringify({ tokens: { access_token: "of the person" } }));
    await contributeHive(["codex"], await machine(["docker"], { OPENAI_API_KEY: "k" }));
    const { NEST_AGENT_LOGIN_SECRET: carried } = JSON.parse(ran[0]?.input ?? "");
    const files = JSON.parse(carried);
    expect(Object.keys(files)).toEqual([".codex/config.toml"]);
    expect(files[".codex/config.toml"]).toContain("https://models.example/v1");
    expect(files[".codex/config.toml"]).not.toContain("mcp_servers");
    expect(said()).toContain(
      "the login of codex goes along: OPENAI_API_KEY, and what it needs of ~/.codex/config.toml",
    );
  });

  test("takes all of contributor.env along that means something in there, and says what stays", async () => {
    await mkdir(join(folder, ".config/nest"), { recursive: true });
    const kept = ["AGENT_MODEL=sonnet", "CONTRIBUTOR_MODE=interactive", "CONTRIBUTOR_ID=c-1", "MY_PROXY_NAME=one"];
    const lines = [...kept, "NEST_WORKSPACE=/home/ada/work"];
    await writeFile(join(folder, ".config/nest/contributor.env"), lines.join("\n"));
    await contributeHive(["claude"], await machine(["docker"]));
    expect(names()).toEqual(expect.arrayContaining(kept.map((line) => line.split("=")[0])));
    expect(ranEnvironment).toMatchObject({ AGENT_MODEL: "sonnet", CONTRIBUTOR_MODE: "interactive" });
    expect(names()).not.toContain("NEST_WORKSPACE");
    expect(said()).toContain("NEST_WORKSPACE of contributor.env name something of this machine, and stay");
  });

  test("copies the agent's own login as a secret and says so; of a file only what it takes to sign in", async () => {
    await mkdir(join(folder, ".claude"));
    const login = { claudeAiOauth: { accessToken: "at", refreshToken: "rt", expiresAt: 1 }, mcpOAuth: { other: "no" } };
    await writeFile(join(folder, ".claude/.credentials.json"), JSON.stringify(login));
    await contributeHive(["claude"], await machine(["docker"]));
    const { NEST_AGENT_LOGIN_SECRET: carried } = JSON.parse(ran[0]?.input ?? "");
    expect(JSON.parse(JSON.parse(carried)[".claude/.credentials.json"])).toEqual({
      claudeAiOauth: login.claudeAiOauth,
    });
    expect(said()).toContain("the login of claude goes along, copied as a secret: ~/.claude/.credentials.json");
    expect(said() + ran[0]?.args.join(" ")).not.toMatch(/"at"|"rt"/);
  });

  test("says which login is missing and how to give it", async () => {
    await contributeHive(["codex"], await machine(["docker"]));
    expect(said()).toContain("warning: no login of codex was found here");
    expect(said()).toContain("start codex once and sign in, or set OPENAI_API_KEY");
    expect(said()).toContain("no login at the code host: run gh auth login, or set GH_TOKEN");
    told = [];
    await contributeHive(["litellm"], await machine(["docker"], { NEST_LITELLM_API_KEY: "k" }));
    expect(said()).toContain("warning: NEST_LITELLM_ENDPOINT is not set");
  });

  test("names the image by NEST_IMAGE_PREFIX, leaves a registry's to the runtime, and says how to make a local one", async () => {
    await contributeHive(["claude"], await machine(["docker"], { NEST_IMAGE_PREFIX: "registry.example/team/" }));
    expect(ran[0]?.args.at(-1)).toBe("registry.example/team/nest-relay:latest");
    images.clear();
    const missing = contributeHive(["claude"], await machine(["docker"]));
    await expect(missing).rejects.toMatchObject({
      message: "there is no image localhost/nest-relay:latest on this machine",
      hint: expect.stringContaining("npm run images -- nest-relay -agents @anthropic-ai/claude-code"),
    });
  });

  test("reaches a hub of this machine through the host's network, and any other without it", async () => {
    await contributeHive(["claude"], await machine(["docker"]));
    await contributeHive(["claude"], await machine(["docker"], { NEST_HUB: "ws://127.0.0.1:8080/contribute" }));
    expect(ran.map(({ args }) => args.join(" ").includes("--network host"))).toEqual([false, true]);
  });

  test.each([
    [["claude", "-image", "--privileged"], {}, '-image: "--privileged" is no name of an image'],
    [["claude"], { NEST_RELAY_IMAGE: "-v/:/host" }, 'NEST_RELAY_IMAGE: "-v/:/host" is no name of an image'],
    [["claude"], { NEST_IMAGE_PREFIX: "--rm" }, 'NEST_IMAGE_PREFIX: "--rm/nest-relay" is no name of an image'],
  ])("gives the runtime no flag for an image: %j %j", async (words, more, sentence) => {
    await expect(contributeHive(words, await machine(["docker"], more))).rejects.toThrow(sentence);
    expect(ran).toEqual([]);
  });
});
