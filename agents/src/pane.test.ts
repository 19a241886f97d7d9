import { describe, expect, test } from "vitest";
import { backendOf } from "./backends.ts";
import { asksToTrust, baselineOf, hasNewVerdict, type PaneState, paneStateOf } from "./pane.ts";

const rule = "─".repeat(60);
const folder = "/home/ada/.cache/nest/workspaces/task-7-1795300000000-ct-1-AbCdEf/work";

/** What the real CLIs show at the bottom of a pane, by backend. */
const screens: readonly (readonly [string, PaneState, string, string])[] = [
  ["claude", "ready", "waits for a prompt", `${rule}\n❯ \n${rule}\n  ⏵⏵ accept edits on (shift+tab to cycle)`],
  [
    "claude",
    "busy",
    "works, without a hint on Esc",
    `● Bash(make)\n  ⎿  Running…\n✢ Misting… (2s · ↓ 19 tokens)\n${rule}\n❯ \n${rule}\n  paste again to expand`,
  ],
  ["claude", "ready", "has finished its turn", `● All done.\n\n✻ Baked for 4s\n\n${rule}\n❯ \n${rule}`],
  ["claude", "asking", "asks for a command", " Do you want to proceed?\n ❯ 1. Yes\n   2. No\n Esc to cancel"],
  ["claude", "login_needed", "has no login", `❯ hello\n  ⎿  Not logged in · Please run /login\n${rule}\n❯ \n${rule}`],
  ["claude", "quota", "has used up its quota", `❯ hello\n  ⎿  5-hour limit reached ∙ resets 3pm\n${rule}\n❯ \n${rule}`],
  ["aider", "ready", "waits for a prompt", `Aider v0.86.2\nGit repo: .git with 0 files\n${rule}\n> `],
  // Out of its published sessions: no package registry has it.
  [
    "goose",
    "ready",
    "waits for a prompt",
    `starting session | provider: ollama model: qwen3-coder\n    working directory: ${folder}\n\nGoose is running! Enter your instructions.\n\n( O)> `,
  ],
  ["codex", "ready", "waits for a prompt", "› Ask Codex to do anything\n\n  gpt-5 default · ~/work\n  ? for shortcuts"],
  ["codex", "busy", "works", "• Working (2s • esc to interrupt)\n\n› Ask Codex to do anything\n\n  gpt-5 · ~/work"],
  [
    "codex",
    "login_needed",
    "has no login",
    "  Welcome to Codex\n\n> 1. Sign in with ChatGPT\n  2. Sign in with Device Code\n\n  Press enter to continue",
  ],
  ["codex", "login_needed", "waits for the browser", "  Finish signing in via your browser\n\n  Press esc to cancel"],
  [
    "copilot",
    "ready",
    "waits for a prompt",
    ` ~/work\n${rule}\n❯\n${rule}\n ← open sidebar · Interactive · / commands`,
  ],
  ["copilot", "busy", "works", ` ~/work\n${rule}\n❯\n${rule}\n ◉ Working · 172 B esc esc interrupt`],
  ["copilot", "asking", "asks", "│ ❯ 1. Yes\n│   2. No (Esc)\n│ ↑/↓ to navigate · enter to select · esc to cancel"],
  [
    "copilot",
    "login_needed",
    "has no login",
    `Please use /login to sign in to use Copilot\n ~/work\n${rule}\n❯\n${rule}`,
  ],
  ["pi", "ready", "waits for a prompt", `${rule}\n\n${rule}\n~/work\n0.0%/128k (auto)      some-model`],
  ["pi", "busy", "works", ` ⠏ Working...\n${rule}\n\n${rule}\n~/work\n↑2 ↓2 0.0%/128k (auto)      some-model`],
  [
    "pi",
    "login_needed",
    "has no login",
    ` Warning: No models available. Use /login to log into a provider\n${rule}\n\n${rule}\n~/work\n0.0%/0 (auto)`,
  ],
];

describe("a pane in which", () => {
  test.each(screens)("%s shows %s when it %s", (name, state, _, screen) => {
    expect(paneStateOf(screen, backendOf(name)!.signs)).toBe(state);
  });
});

describe("a CLI that asks whether to trust its folder", () => {
  const asked = (path: string) =>
    ` Accessing workspace:\n\n ${path}\n\n Quick safety check: Is this a project you created or one you trust?\n\n ❯ 1. Yes, I trust this folder\n   2. No, exit`;
  const { signs } = backendOf("claude")!;

  test("is told yes for the task's own folder, broken or framed as it may be", () => {
    expect(asksToTrust(asked(folder), folder, signs)).toBe(true);
    expect(asksToTrust(asked(`${folder.slice(0, 30)}   │\n │ ${folder.slice(30)}`), folder, signs)).toBe(true);
  });

  test("is told nothing for another folder, and waits for a person", () => {
    expect(asksToTrust(asked("/home/ada"), folder, signs)).toBe(false);
    expect(paneStateOf(asked("/home/ada"), signs)).toBe("asking");
  });
});

test("a pane holds a new verdict only beside the old ones and the prompt's own lines", () => {
  const prompt = "End with\nNEST_VERDICT: complete   the work is done\nNEST_VERDICT: blocked <reason>";
  const old = "NEST_VERDICT: complete\n";
  const baseline = baselineOf(old, prompt);
  expect(hasNewVerdict(old, baseline)).toBe(false);
  expect(hasNewVerdict(`${old}> ${prompt}\n`, baseline)).toBe(false);
  expect(hasNewVerdict(`${old}${prompt}\nNEST_VERDICT: complete\n`, baseline)).toBe(true);
  expect(hasNewVerdict(`${old}NEST_VERDICT: complete\n`, baseline)).toBe(true);
  expect(hasNewVerdict(`${old}${prompt}\nNEST_VERDICT: blocked a person must decide\n`, baseline)).toBe(true);
});
