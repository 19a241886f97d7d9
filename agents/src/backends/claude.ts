import { type AgentChoice, type Backend, modelFlag, type OwnFile, type OwnFolder } from "../cli/backend.ts";
import { jsonMembers } from "../sandbox/given.ts";

/** Tools that would step out of the task: never allowed, whatever the permission mode. */
const DISALLOWED = ["Bash(sudo:*)", "Bash(su:*)", "Bash(docker:*)", "Bash(podman:*)"].join(",");
const FILE_TOOLS = ["Edit", "Write", "Read", "Glob", "Grep", "LS"];
/** What a coding task needs on a contributor's own machine; anything else is refused without a question. */
const HOST_TOOLS = ["Bash(git:*)", "Bash(gh:*)", ...FILE_TOOLS].join(",");
/** Within a sandbox any command, so that an agent can build and test. Skipping all permissions would ask at a terminal first. */
const SANDBOX_TOOLS = ["Bash", ...FILE_TOOLS].join(",");

/** Permission flags shared by the backends that run the `claude` program. */
export function claudePermissions(choice: AgentChoice): readonly string[] {
  const tools = choice.sandboxed ? SANDBOX_TOOLS : HOST_TOOLS;
  const mode = choice.container
    ? ["--dangerously-skip-permissions", "--permission-mode", "bypassPermissions"]
    : ["--permission-mode", "acceptEdits", "--allowedTools", tools];
  return [...mode, "--disallowedTools", DISALLOWED];
}

/** Its subscription's login. Tokens of the person's MCP servers, in the same file, stay out. */
const LOGIN: OwnFile = {
  name: ".credentials.json",
  given: jsonMembers("claudeAiOauth"),
  renewed: ["claudeAiOauth.accessToken", "claudeAiOauth.refreshToken", "claudeAiOauth.expiresAt"],
};
/** How it finds and authenticates its model. Hooks, permissions, plugins and status lines stay out. */
const SETTINGS: OwnFile = {
  name: "settings.json",
  given: jsonMembers("env", "apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "model", "forceLoginMethod"),
};
/** That the first-start questions are answered, and whose account it is. Other projects and MCP servers stay out. */
const STATE: OwnFile = {
  name: ".claude.json",
  given: jsonMembers(
    ...["hasCompletedOnboarding", "lastOnboardingVersion", "theme", "userID", "oauthAccount", "primaryApiKey"],
    ...["customApiKeyResponses", "bypassPermissionsModeAccepted", "hasTrustDialogAccepted"],
  ),
};

/** The folders of the `claude` program; all of it is in one where `CLAUDE_CONFIG_DIR` names it. */
export function claudeFolders(elsewhere: string | undefined, files: readonly OwnFile[]): readonly OwnFolder[] {
  if (elsewhere) return [{ path: elsewhere, files: [...files, STATE] }];
  return [
    { path: "~/.claude", files },
    { path: "~", files: [STATE] },
  ];
}

export const claude: Backend = {
  name: "claude",
  binary: "claude",
  versionArgs: ["--version"],
  npmPackage: "@anthropic-ai/claude-code",
  unconfinedCommands: "git and gh",
  // The list flags take any number of words: the prompt must follow another flag, never one of them.
  oneShot: (run) => [...claudePermissions(run), ...modelFlag(run), "-p", run.prompt],
  interactive: (choice) => [...claudePermissions(choice), ...modelFlag(choice)],
  signs: {
    ready: /^\s*(?:│\s*)?[>❯](?:\s|$)/m,
    // The spinner line (`✻ Misting… (3s)`), or a tool that has not answered; the hint on Esc is not always shown.
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
  ownFolders: ({ CLAUDE_CONFIG_DIR }) => claudeFolders(CLAUDE_CONFIG_DIR, [LOGIN, SETTINGS]),
};
