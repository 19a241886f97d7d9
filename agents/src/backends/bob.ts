import { type Backend, isContained, modelFlag } from "../cli/backend.ts";
import { jsonMembers } from "../sandbox/given.ts";

/** Leaves after every turn, and has no mode without a terminal. Takes its key from its own variable. */
export const bob: Backend = {
  name: "bob",
  binary: "bob",
  versionArgs: ["--version"],
  interactive: (choice) => [
    "--accept-license",
    "--auth-method",
    "api-key",
    ...(isContained(choice) ? ["--approval-mode", "yolo", "--trust"] : ["--approval-mode", "auto_edit"]),
    ...modelFlag(choice),
  ],
  signs: { ready: /^\s*(?:│\s*)?[>❯](?:\s|$)/m, busy: /esc to cancel/i, loginNeeded: /(?:API key|sign in)/i },
  credentialVariables: ["BOB_API_KEY", "BOBSHELL_API_KEY"],
  // Its releases before 2.0 keep the settings one folder above.
  ownFolders: () =>
    ["~/.bob", "~/.bob/settings"].map((path) => ({
      path,
      files: [{ name: "settings.json", given: jsonMembers("security") }],
    })),
};
