import { type AgentChoice, type Backend, modelFlag } from "../backend.ts";

function permissions(choice: AgentChoice): readonly string[] {
  return choice.container
    ? ["--allow-all"]
    : ["--allow-all-tools", "--deny-tool", "shell(sudo)", "--deny-tool", "shell(su)"];
}

export const copilot: Backend = {
  name: "copilot",
  binary: "copilot",
  versionArgs: ["--version"],
  oneShot: (run) => [...permissions(run), ...modelFlag(run), "-p", run.prompt],
  interactive: (choice) => [...permissions(choice), ...modelFlag(choice)],
  signs: {
    ready: /^\s*(?:│\s*)?[>❯](?:\s|$)/m,
    // Its questions say `esc to cancel`: only the line that spins means work.
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
  places: {
    folders: [".copilot", ".config/github-copilot"],
    variables: ["COPILOT_HOME"],
    settings: ["mcp-config.json", "agents", "hooks", "installed-plugins", "skills"],
  },
};
