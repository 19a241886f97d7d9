import { chmod, link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { backendOf } from "../backends.ts";
import { type CopyDeps, copyOwnFolders, type PrivateCopies } from "./private-copy.ts";

let root: string;
let deps: CopyDeps;
let own: string;
let copy: string;

const login = (accessToken: string, more: object = {}) =>
  JSON.stringify({ claudeAiOauth: { accessToken, refreshToken: "r-1", expiresAt: 1, scopes: ["a"] }, ...more });

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "nest-copy-test-"));
  deps = { home: join(root, "ada"), privateHome: join(root, "private"), besides: join(root, "own") };
  own = join(deps.home, ".claude/.credentials.json");
  copy = join(deps.privateHome, ".claude/.credentials.json");
  await put(own, login("first", { mcpOAuth: { server: "another's token" } }));
  await chmod(own, 0o640);
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

function copies(backend = "claude", environment: Record<string, string> = {}): Promise<PrivateCopies> {
  return copyOwnFolders(backendOf(backend)?.ownFolders(environment) ?? [], deps);
}

describe("a run's private copy of its CLI's folder", () => {
  test("has the login and how to reach the model; hooks, servers, instructions and transcripts stay where they are", async () => {
    const settings = { hooks: { Stop: [] }, env: { ANTHROPIC_BASE_URL: "https://proxy.example" }, apiKeyHelper: "key" };
    await put(join(deps.home, ".claude/settings.json"), JSON.stringify(settings));
    await put(join(deps.home, ".claude/CLAUDE.md"), "Always push to main.");
    await put(join(deps.home, ".claude/projects/other/transcript.jsonl"), "another customer's code");
    const state = { hasCompletedOnboarding: true, mcpServers: { x: { command: "y" } }, projects: { "/other": {} } };
    await put(join(deps.home, ".claude.json"), JSON.stringify(state));
    await copies();
    const read = async (name: string) => JSON.parse(await readFile(join(deps.privateHome, name), "utf8")) as unknown;
    expect(await read(".claude/.credentials.json")).toEqual(JSON.parse(login("first")));
    expect(await read(".claude/settings.json")).toEqual({ env: settings.env, apiKeyHelper: "key" });
    expect(await read(".claude.json")).toEqual({ hasCompletedOnboarding: true });
    expect((await readdir(deps.privateHome, { recursive: true })).sort()).toEqual([
      ".claude",
      ".claude.json",
      ".claude/.credentials.json",
      ".claude/settings.json",
    ]);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
  });

  test("of a folder elsewhere is shown in its place", async () => {
    const elsewhere = join(root, "codex");
    const config = [
      'model = "m"',
      'notify = ["x"]',
      "[mcp_servers.a]",
      'command = "c"',
      "[model_providers.p]",
      'base_url = "u"',
    ];
    await put(join(elsewhere, "config.toml"), config.join("\n"));
    const { binds } = await copies("codex", { CODEX_HOME: elsewhere });
    expect(binds).toEqual([[join(deps.besides, "0"), elsewhere]]);
    const given = await readFile(join(deps.besides, "0/config.toml"), "utf8");
    expect(given).toBe('model = "m"\n[model_providers.p]\nbase_url = "u"\n');
  });

  test("of a folder above the home is not made", async () => {
    expect((await copies("codex", { CODEX_HOME: root })).binds).toEqual([]);
    expect((await copies("codex", { CODEX_HOME: "/" })).binds).toEqual([]);
    expect((await copies("codex", { CODEX_HOME: "codex" })).binds).toEqual([]);
  });

  test("of goose has provider and model, and no extension", async () => {
    const lines = ["GOOSE_PROVIDER: openai", "GOOSE_MODEL: m", "extensions:", "  evil:", "    cmd: run-me"];
    await put(join(deps.home, ".config/goose/config.yaml"), lines.join("\n"));
    await copies("goose");
    const given = await readFile(join(deps.privateHome, ".config/goose/config.yaml"), "utf8");
    expect(given).toBe("GOOSE_PROVIDER: openai\nGOOSE_MODEL: m\n");
  });
});

describe("a renewed login", () => {
  const after = async () => JSON.parse(await readFile(own, "utf8")) as Record<string, unknown>;
  const untouched = () => JSON.parse(login("first", { mcpOAuth: { server: "another's token" } })) as unknown;

  test("goes back: the renewed values, 0600, with everything else of the person's file as it was", async () => {
    const made = await copies();
    await writeFile(copy, login("second", { mcpOAuth: { server: "planted" }, hooks: { Stop: [] } }));
    await made.giveBack();
    expect(await after()).toEqual(JSON.parse(login("second", { mcpOAuth: { server: "another's token" } })));
    expect((await stat(own)).mode & 0o777).toBe(0o600);
  });

  test("does not go back over one that the person's own session renewed meanwhile", async () => {
    const made = await copies();
    await writeFile(copy, login("second"));
    await writeFile(own, login("theirs"));
    await made.giveBack();
    expect(await after()).toEqual(JSON.parse(login("theirs")));
  });

  test.each([
    ["something else", "not JSON"],
    ["a list", "[]"],
    [
      "another kind of value",
      login("second").replace('"second"', '{"accessToken":1}').replace('"r-1"', "[]").replace(":1,", ':"soon",'),
    ],
    ["a value with a line break", login("second\\nX: y")],
    ["a value without end", login("x".repeat(20_000))],
    ["more than a login can be", login("second", { padding: "x".repeat(300_000) })],
    ["members of prototypes", '{"__proto__":{"claudeAiOauth":{"accessToken":"second"}}}'],
  ])("that is %s changes nothing", async (_, text) => {
    const made = await copies();
    await writeFile(copy, text);
    await made.giveBack();
    expect(await after()).toEqual(untouched());
  });

  test.each([
    ["a link to another file", async (target: string) => symlink(target, copy)],
    ["another file's second name", async (target: string) => link(target, copy)],
    [
      "in a folder that is a link elsewhere",
      async (target: string) => {
        await rm(dirname(copy), { recursive: true });
        await symlink(dirname(target), dirname(copy));
      },
    ],
    ["a folder", async () => mkdir(copy).then(() => undefined)],
  ])("that is %s changes nothing", async (_, replace) => {
    const target = join(root, "elsewhere/.credentials.json");
    await put(target, login("second"));
    const made = await copies();
    await rm(copy);
    await replace(target);
    await made.giveBack();
    expect(await after()).toEqual(untouched());
  });

  test("goes to where the person's own link leads, and the link stays", async () => {
    const kept = join(root, "dotfiles/credentials.json");
    await put(kept, login("first"));
    await rm(own);
    await symlink(kept, own);
    const made = await copies();
    await writeFile(copy, login("second"));
    await made.giveBack();
    expect(JSON.parse(await readFile(kept, "utf8"))).toEqual(JSON.parse(login("second")));
    expect(await readFile(own, "utf8")).toBe(await readFile(kept, "utf8"));
  });
});
