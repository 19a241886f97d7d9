import type { Backend } from "../cli/backend.ts";
import { claude, claudeFolders } from "./claude.ts";

/** The `claude` program against the contributor's own proxy; endpoint and key stay on this machine (spec: Relay environment). */
export const litellm: Backend = {
  ...claude,
  name: "litellm",
  credentialVariables: claude.credentialVariables.filter((name) => !name.startsWith("ANTHROPIC_")),
  // It does not work with the person's subscription, so that login stays out.
  ownFolders: ({ CLAUDE_CONFIG_DIR }) => claudeFolders(CLAUDE_CONFIG_DIR, []),
  extraEnvironment(environment) {
    const endpoint = environment.NEST_LITELLM_ENDPOINT || environment.HIVE_LITELLM_ENDPOINT;
    const key = environment.NEST_LITELLM_API_KEY || environment.HIVE_LITELLM_API_KEY;
    return {
      ...(endpoint ? { ANTHROPIC_BASE_URL: endpoint } : {}),
      ...(key ? { ANTHROPIC_API_KEY: key } : {}),
    };
  },
};
