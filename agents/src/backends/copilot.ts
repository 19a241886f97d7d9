import { type AgentChoice, type Backend, isContained, modelFlag, type OwnFile } from "../cli/backend.ts";
import { jsonMembers } from "../sandbox/given.ts";

/** What a coding task needs on a contributor's own machine; anything else has to be asked for. */
const HOST_TOOLS = ["shell(git:*)", "shell(gh:*)", "write"].flatMap((tool) => ["--allow-tool", tool]);
/** Ways out of the task: never allowed. */
const DENIED = ["shell(sudo)", "shell(su)"].flatMap((tool) => ["--deny-tool", tool]);

function permissions(choice: AgentChoice): readonly string[] {
  if (choice.container) return ["--allow-all"];
  return [...(isContained(choice) ? ["--allow-all-tools"] : HOST_TOOLS), ...DENIED];
}

/** Who is signed in, and the token where no keyring keeps it. */
const LOGIN: OwnFile = {
  name: "config.json",
  given: jsonMembers(
    ...["copilot_tokens", "copilotTokens", "logged_in_users", "loggedInUsers"],
    ...["last_logged_in_user", "lastLoggedInUser", "staff", "banner", "theme"],
  ),
};
const SETTINGS: OwnFile = { name: "settings.json", given: jsonMembers("model", "theme", "banner") };

export const copilot: Backend = {
  name: "copilot",
  binary: "copilot",
  versionArgs: ["--version"],
  npmPackage: "@github/copilot",
  unconfinedCommands: "git and gh",
  oneShot: (run) => [...permissions(run), ...modelFlag(run), "-p", run.prompt],
  interactive: (choice) => [...permissions(choice), ...modelFlag(choice)],
  signs: {
    ready: /^\s*(?:│\s*)?[>❯](?:\s|$)/m,
    // Its questions say `esc to cancel` too: only the spinner line means that it works.
    busy: /\besc (?:esc )?(?:to )?interrupt/i,
    loginNeeded: /(?:(?:use|run) \/login|not logged in|No authentication information)/i,
    asking: /(?:Do you want to (?:run|allow|trust)|Confirm folder trust|enter to select)/i,
    trust: /Do you trust the files in this folder\?[\s\S]*❯ 1\. Yes/,
  },
  credentialVariables: [
    "COPILOT_GITHUB_TOKEN",
    "COPILOT_MODEL",
    "COPILOT_OFFLINE",
    "COPILOT_AUTO_UPDATE",
    "COPILOT_PROVIDER_BASE_URL",
    "COPILOT_PROVIDER_API_KEY",
    "COPILOT_HOME",
  ],
  ownFolders: ({ COPILOT_HOME }) => [
    { path: COPILOT_HOME || "~/.copilot", files: [LOGIN, SETTINGS] },
    { path: "~/.config/github-copilot", files: [{ name: "hosts.json" }, { name: "apps.json" }] },
  ],
};
