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
    busy: /esc to (?:cancel|interrupt)/i,
    loginNeeded: /(?:Please use \/login|not logged in|No authentication information)/i,
    asking: /(?:Do you want to (?:run|allow|trust)|Confirm folder trust)/i,
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
};
