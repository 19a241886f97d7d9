import { type AgentChoice, type Backend, modelFlag, type OwnFile } from "../cli/backend.ts";
import { tomlTables } from "../sandbox/given.ts";

function permissions(choice: AgentChoice): readonly string[] {
  return choice.container
    ? ["--dangerously-bypass-approvals-and-sandbox"]
    : ["--sandbox", "workspace-write", "-c", "sandbox_workspace_write.network_access=true"];
}

function effort(choice: AgentChoice): readonly string[] {
  return choice.effort === undefined ? [] : ["-c", `model_reasoning_effort="${choice.effort}"`];
}

const LOGIN: OwnFile = {
  name: "auth.json",
  renewed: ["tokens.id_token", "tokens.access_token", "tokens.refresh_token", "last_refresh"],
};
/** Which model, and where it is. MCP servers, hooks, notifiers and other projects' trust stay out. */
const SETTINGS: OwnFile = {
  name: "config.toml",
  given: tomlTables({
    names:
      /^(?:model\w*|review_model|openai_base_url|chatgpt_base_url|forced_\w+|preferred_auth_method|cli_auth_credentials_store|check_for_update_on_startup|profile)$/,
    tables: /^(?:model_providers|profiles|analytics|otel)(?:\.|$)/,
  }),
};

export const codex: Backend = {
  name: "codex",
  binary: "codex",
  versionArgs: ["--version"],
  npmPackage: "@openai/codex",
  oneShot: (run) => [
    "exec",
    "--skip-git-repo-check",
    ...permissions(run),
    ...modelFlag(run),
    ...effort(run),
    run.prompt,
  ],
  // A daemon would outlive the task, and do its work outside of the task's sandbox and process tree.
  interactive: (choice) => ["--no-daemon", ...permissions(choice), ...modelFlag(choice), ...effort(choice)],
  signs: {
    ready: /^\s*[›▌](?:\s|$)/m,
    busy: /esc to interrupt/i,
    loginNeeded: /(?:Sign in with ChatGPT|Finish signing in via your browser|codex login|401 Unauthorized)/i,
    asking: /(?:Allow command\?|Would you like to run|Do you trust the contents)/i,
    trust: /Do you trust the contents of this directory\?[\s\S]*› 1\. Yes/,
  },
  credentialVariables: ["OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_HOME", "CODEX_API_KEY"],
  ownFolders: ({ CODEX_HOME }) => [{ path: CODEX_HOME || "~/.codex", files: [LOGIN, SETTINGS] }],
};
