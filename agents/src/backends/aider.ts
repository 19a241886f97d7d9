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
  credentialVariables: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY", "AIDER_MODEL"],
  ownFolders: () => [{ path: "~/.aider", files: [{ name: "oauth-keys.env" }] }],
};
