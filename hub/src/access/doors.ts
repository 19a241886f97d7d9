import type { Doors } from "@nest/http";
import { cookieNames } from "./build-access.ts";

/** How callers of the hub say who they are, for the description of its API. */
export const doors: Doors = {
  hasApiTokens: true,
  schemes: {
    bearer: {
      type: "http",
      scheme: "bearer",
      description:
        "The hub's admin token, an API token (x-scope: the scope that it needs), or a contributor's registration token",
    },
    session: { type: "apiKey", in: "cookie", name: cookieNames.session },
    signature: { type: "apiKey", in: "header", name: "X-Hub-Signature-256" },
  },
  of({ access }) {
    if (access === "code-host") return ["signature"];
    return access === "spoke" ? ["bearer"] : ["bearer", "session"];
  },
};
