import { type AgentChoice, type Backend, modelFlag } from "../backend.ts";

/** Tools that would step out of the task: never allowed, whatever the permission mode. */
const DISALLOWED = ["Bash(sudo:*)", "Bash(su:*)", "Bash(docker:*)", "Bash(podman:*)"].join(",");
/** What a coding task needs on a contributor's own machine; anything else is refused without a question. */
const HOST_TOOLS = ["Bash(git:*)", "Bash(gh:*)", "Edit", "Write", "Read", "Glob", "Grep", "LS"].join(",");

/** Permission flags shared by the backends that run the `claude` program. */
export function claudePermissions(choice: AgentChoice): readonly string[] {
  const mode = choice.container
    ? ["--dangerously-skip-permissions", "--permission-mode", "bypassPermissions"]
    : ["--permission-mode", "acceptEdits", "--allowedTools", HOST_TOOLS];
  return [...mode, "--disallowedTools", DISALLOWED];
}

export const claude: Backend = {
  name: "claude",
  binary: "claude",
  versionArgs: ["--version"],
  // The list flags take any number of words: the prompt must follow another flag, never one of them.
  oneShot: (run) => [...claudePermissions(run), ...modelFlag(run), "-p", run.prompt],
  interactive: (choice) => [...claudePermissions(choice), ...modelFlag(choice)],
  signs: {
    ready: /^\s*(?:│\s*)?[>❯](?:\s|$)/m,
    // The line that spins (`✻ Misting… (3s)`), and a tool that has not answered; the hint on Esc is not always there.
    busy: /esc to interrupt|^\s*[·✢✳✶✻✽] \S+…|⎿\s+(?:Running|Waiting)…/im,
    loginNeeded: /(?:Please run \/login|Invalid API key|Select login method|OAuth token (?:has )?expired)/i,
    asking:
      /Do you want to (?:proceed|make this edit|create|allow)|Is this a project you created or one you trust|Choose the text style/i,
    trust: /Is this a project you created or one you trust\?[\s\S]*❯ 1\. Yes/,
  },
  credentialVariables: [
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_MODEL",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "DISABLE_AUTOUPDATER",
    "DISABLE_TELEMETRY",
    "DISABLE_ERROR_REPORTING",
    "IS_SANDBOX",
  ],
  places: {
    folders: [".claude", ".claude.json"],
    variables: ["CLAUDE_CONFIG_DIR"],
    settings: ["settings.json", "settings.local.json", "CLAUDE.md", "agents", "commands", "hooks", "plugins", "skills"],
  },
};
