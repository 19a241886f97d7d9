import { type AgentChoice, type Backend, isContained, modelFlag } from "../cli/backend.ts";

/** `--effort` is needed whenever a model is set (spec: Relay environment). */
function effort(choice: AgentChoice): readonly string[] {
  if (choice.effort !== undefined) return ["--effort", choice.effort];
  return choice.model === undefined ? [] : ["--effort", "low"];
}

function permissions(choice: AgentChoice): readonly string[] {
  return isContained(choice) ? ["--dangerously-skip-permissions"] : [];
}

export const agy: Backend = {
  name: "agy",
  binary: "agy",
  versionArgs: ["--version"],
  oneShot: (run) => [...permissions(run), ...modelFlag(run), ...effort(run), "-p", run.prompt],
  interactive: (choice) => [...permissions(choice), ...modelFlag(choice), ...effort(choice)],
  signs: { ready: /^\s*(?:│\s*)?[>❯](?:\s|$)/m, busy: /esc to cancel/i, loginNeeded: /(?:sign in|log ?in)/i },
  credentialVariables: [],
  // Its refresh token stays the same during a login, so nothing has to be copied back.
  ownFolders: () => [
    {
      path: "~/.gemini",
      files: ["jetski-standalone-oauth-token", "oauth_creds.json", "google_accounts.json"].map((name) => ({ name })),
    },
    { path: "~/.gemini/antigravity-cli", files: [{ name: "antigravity-oauth-token" }] },
    { path: "~/.gemini/antigravity-cli/cache", files: [{ name: "onboarding.json" }] },
  ],
  caution: "agy signs in interactively and works in host mode only, not in a container or a cluster",
};
