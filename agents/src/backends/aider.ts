import { type Backend, isContained, modelFlag } from "../cli/backend.ts";

/** Edits files only; no mode without a terminal that could finish a task. */
export const aider: Backend = {
  name: "aider",
  binary: "aider",
  versionArgs: ["--version"],
  interactive: (choice) => [...(isContained(choice) ? ["--yes"] : []), ...modelFlag(choice)],
  signs: {
    ready: /^\s*(?:[a-z]+ )?>\s*$/m,
    busy: /Waiting for /i,
    loginNeeded: /(?:No LLM model was specified|API key)/i,
    asking: /\(Y\)es\/\(N\)o/i,
  },
  credentialVariables: [
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "OPENAI_API_BASE",
    "OPENROUTER_API_KEY",
    "GEMINI_API_KEY",
    "OLLAMA_API_BASE",
    "AIDER_MODEL",
  ],
  // With `--yes` it agrees to all that it asks: to fetch each address of a prompt, and to install a browser for that; to replace itself
  // by a newer release; that its maker follows its use.
  extraEnvironment: () => ({
    AIDER_DETECT_URLS: "false",
    AIDER_DISABLE_PLAYWRIGHT: "true",
    AIDER_CHECK_UPDATE: "false",
    AIDER_ANALYTICS: "false",
    AIDER_SHOW_RELEASE_NOTES: "false",
    AIDER_SHOW_MODEL_WARNINGS: "false",
  }),
  ownFolders: () => [{ path: "~/.aider", files: [{ name: "oauth-keys.env" }] }],
};
