import type { Backend } from "../backend.ts";

/** Takes its model from the environment (`GOOSE_PROVIDER`, `GOOSE_MODEL`), not from a flag. */
export const goose: Backend = {
  name: "goose",
  binary: "goose",
  versionArgs: ["--version"],
  oneShot: (run) => ["run", "--no-session", "-t", run.prompt],
  interactive: () => ["session"],
  signs: {
    ready: /^\s*(?:\(\s*O\s*\)>|🪿|goose>|>)(?:\s|$)/m,
    busy: /Ctrl\+C to interrupt/i,
    loginNeeded: /(?:goose configure|No provider configured)/i,
  },
  credentialVariables: [
    "GOOSE_PROVIDER",
    "GOOSE_MODEL",
    "GOOSE_API_KEY",
    "GOOSE_MODE",
    "OLLAMA_HOST",
    "OPENAI_API_KEY",
    "OPENAI_HOST",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_HOST",
  ],
  places: {
    folders: [".config/goose", ".local/share/goose", ".local/state/goose"],
    variables: [],
    settings: ["config.yaml"],
  },
};
