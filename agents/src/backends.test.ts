import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { decodePiEvents } from "./backends/pi.ts";
import { backendOf, backends } from "./backends.ts";
import { withDefaults } from "./cli/defaults.ts";

const prompt = "Fix it.";
const inContainer = { prompt, container: true, sandboxed: false };
const onHost = { prompt, container: false, sandboxed: false };

describe("the one-shot arguments", () => {
  test.each([
    ["claude", ["--dangerously-skip-permissions", "--permission-mode", "bypassPermissions"], ["-p", prompt]],
    ["litellm", ["--dangerously-skip-permissions", "--permission-mode", "bypassPermissions"], ["-p", prompt]],
    ["copilot", ["--allow-all"], ["-p", prompt]],
    ["codex", ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"], [prompt]],
    ["goose", ["run", "--no-session"], ["-t", prompt]],
    ["pi", ["--print", "--mode", "json"], [prompt]],
    ["agy", ["--dangerously-skip-permissions"], ["-p", prompt]],
  ])("of %s in a container", (name, first, last) => {
    const argv = backendOf(name)?.oneShot?.(inContainer) ?? [];
    expect(argv.slice(0, first.length)).toEqual(first);
    expect(argv.slice(-last.length)).toEqual(last);
  });

  test.each(backends.map(({ name }) => name))("of %s skip no permission outside a container", (name) => {
    const backend = backendOf(name)!;
    const argv = [...(backend.oneShot?.(onHost) ?? []), ...backend.interactive(onHost)].join(" ");
    expect(argv).not.toMatch(/dangerously|bypass|yolo|--allow-all(?!-tools)|--yes\b|--trust/);
  });

  test("name the model for every backend but goose, which takes it from a variable", () => {
    const naming = backends.filter((backend) =>
      backend.interactive({ container: true, sandboxed: false, model: "m-1" }).join(" ").includes("--model m-1"),
    );
    expect(naming.map(({ name }) => name)).toEqual([
      "claude",
      "copilot",
      "bob",
      "codex",
      "pi",
      "aider",
      "litellm",
      "agy",
    ]);
  });

  test("name the effort for codex and agy only; agy has one whenever a model is set", () => {
    const choice = { container: true, sandboxed: false, model: "m-1", effort: "high" };
    expect(backendOf("codex")?.interactive(choice)).toContain('model_reasoning_effort="high"');
    expect(backendOf("agy")?.interactive(choice).join(" ")).toContain("--effort high");
    expect(backendOf("agy")?.interactive({ container: true, sandboxed: false, model: "m-1" }).join(" ")).toContain(
      "--effort low",
    );
    expect(backendOf("claude")?.interactive(choice).join(" ")).not.toContain("high");
  });

  test("do not exist for bob and aider", () => {
    expect(backends.filter((backend) => backend.oneShot === undefined).map(({ name }) => name)).toEqual([
      "bob",
      "aider",
    ]);
  });
});

describe("a backend on a host without walls", () => {
  const loose = (name: string) => {
    const backend = backendOf(name);
    return [...(backend?.oneShot?.(onHost) ?? []), ...(backend?.interactive(onHost) ?? [])].join(" ");
  };
  const walled = (name: string) => (backendOf(name)?.oneShot?.({ ...onHost, sandboxed: true }) ?? []).join(" ");

  test("is held by its own list: copilot runs git and gh, and anything only within a sandbox", () => {
    expect(loose("copilot")).not.toContain("--allow-all");
    expect(loose("copilot")).toContain("--allow-tool shell(git:*)");
    expect(walled("copilot")).toContain("--allow-all-tools");
  });

  test("runs any command within a sandbox, and git and gh alone without: claude", () => {
    expect(loose("claude")).toContain("--allowedTools Bash(git:*),Bash(gh:*),Edit,");
    expect(walled("claude")).toContain("--allowedTools Bash,Edit,");
    expect(walled("claude")).not.toMatch(/dangerously|bypass/);
  });

  test.each([
    ["agy", "--dangerously-skip-permissions"],
    ["bob", "--approval-mode yolo"],
    ["aider", "--yes"],
  ])("asks nothing within a sandbox: %s", (name, flag) => {
    const choice = { container: false, sandboxed: true };
    expect(backendOf(name)?.interactive(choice).join(" ")).toContain(flag);
  });

  test("that asks nobody has no tool that runs commands: pi", () => {
    expect(loose("pi")).toMatch(/--tools read,edit,write,grep,find,ls .*--tools read,edit,write,grep,find,ls/);
    expect(walled("pi")).not.toContain("--tools");
  });

  test("asks before it acts, whatever the contributor's settings say: goose", () => {
    const made = (environment: Record<string, string>, isContained: boolean) =>
      backendOf("goose")?.extraEnvironment?.(environment, { isContained });
    expect(made({ GOOSE_MODE: "auto" }, false)).toEqual({ GOOSE_MODE: "smart_approve" });
    expect(made({}, false)).toEqual({ GOOSE_MODE: "smart_approve" });
    expect(made({ GOOSE_MODE: "approve" }, false)).toEqual({});
    expect(made({ GOOSE_MODE: "auto" }, true)).toEqual({});
  });
});

test("goose is given the model that was chosen as its own variable", () => {
  const made = backendOf("goose")?.extraEnvironment?.({ GOOSE_MODEL: "mine" }, { isContained: true, model: "chosen" });
  expect(made).toEqual({ GOOSE_MODEL: "chosen" });
});

test("goose works with a local model unless the environment or its own settings name a provider", async () => {
  const home = await mkdtemp(join(tmpdir(), "nest-goose-"));
  const goose = backendOf("goose");
  if (goose === undefined) throw new Error("no goose");
  const local = { GOOSE_PROVIDER: "ollama", GOOSE_MODEL: expect.stringMatching(/./) };
  expect(await withDefaults(goose, { HOME: home })).toMatchObject(local);
  expect(await withDefaults(goose, { HOME: home, GOOSE_PROVIDER: "openai" })).not.toHaveProperty("GOOSE_MODEL");
  await mkdir(join(home, ".config/goose"), { recursive: true });
  await writeFile(join(home, ".config/goose/config.yaml"), "GOOSE_PROVIDER: anthropic\n");
  expect(await withDefaults(goose, { HOME: home })).toEqual({ HOME: home });
  await rm(home, { recursive: true });
});

test("litellm gives the claude program the contributor's own endpoint and key", () => {
  const environment = { NEST_LITELLM_ENDPOINT: "http://127.0.0.1:4000", HIVE_LITELLM_API_KEY: "k" };
  expect(backendOf("litellm")?.extraEnvironment?.(environment, { isContained: true })).toEqual({
    ANTHROPIC_BASE_URL: "http://127.0.0.1:4000",
    ANTHROPIC_API_KEY: "k",
  });
});

test("pi's events are read as what the agent said, the prompt left out", () => {
  const said = (role: string, text: string) =>
    JSON.stringify({ type: "message_end", message: { role, content: [{ type: "text", text }] } });
  const output = [
    '{"type":"agent_start"}',
    said("user", "NEST_VERDICT: blocked"),
    said("assistant", "done\nNEST_VERDICT: complete"),
    "a plain warning",
    "{broken",
    "null",
  ].join("\n");
  expect(decodePiEvents(output)).toBe("done\nNEST_VERDICT: complete\na plain warning\n{broken\nnull");
});
