import type { Backend, OwnFile } from "../cli/backend.ts";
import { yamlScalars } from "../sandbox/given.ts";

/** In this file, names in capitals hold its provider, model and addresses. Extensions are programs, and stay out. */
const SETTINGS: OwnFile = { name: "config.yaml", given: yamlScalars(/^[A-Z][A-Z0-9_]*$/) };

/** Where nothing else was chosen, a model on this machine, served by Ollama (spec: Relay environment, backend notes). */
const LOCAL_MODEL = { GOOSE_PROVIDER: "ollama", GOOSE_MODEL: "qwen3-coder" };

function configFolder(environment: Readonly<Record<string, string | undefined>>): string {
  return `${environment.XDG_CONFIG_HOME || "~/.config"}/goose`;
}

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
  // Outside a sandbox or a container it must ask before it acts, whatever its own settings say.
  extraEnvironment: ({ GOOSE_MODE }, { isContained, model }) => ({
    ...(model === undefined ? {} : { GOOSE_MODEL: model }),
    ...(isContained || GOOSE_MODE === "chat" || GOOSE_MODE === "approve" ? {} : { GOOSE_MODE: "smart_approve" }),
  }),
  defaults: {
    variables: LOCAL_MODEL,
    settings: (environment) => `${configFolder(environment)}/config.yaml`,
    chosen: /^GOOSE_PROVIDER:[ \t]*\S/m,
  },
  ownFolders: (environment) => {
    const config = configFolder(environment);
    return [
      { path: config, files: [SETTINGS, { name: "secrets.yaml" }] },
      { path: `${config}/githubcopilot`, files: [{ name: "info.json" }] },
    ];
  },
};
