import { plainSeed } from "./plain-seed.ts";
import { SPOKE_TOKEN, SpokeHere } from "./spoke-here.ts";
import { VisitorHere } from "./visitor-here.ts";

/** A nest that signs people in itself, with one agent that has nothing to do. */
export function standaloneSpoke(
  authorizedUsers: readonly string[],
  environment: Record<string, string> = {},
  dashboard: Record<string, unknown> = {},
): Promise<SpokeHere> {
  return SpokeHere.start({
    seed: plainSeed(SPOKE_TOKEN, ["acme/secret-plans"], 0),
    config: {
      agents: { scanner: { backend: "claude" } },
      github: { token: SPOKE_TOKEN, oauth_client_id: "nest-client" },
      dashboard: { hub_proxied: false, authorized_users: authorizedUsers, ...dashboard },
      governor: { eval_interval_s: 3600 },
    },
    environment,
  });
}

/** A browser in which this login is signed in. */
export async function signedIn(spoke: SpokeHere, login: string): Promise<VisitorHere> {
  const visitor = new VisitorHere(spoke.url);
  const { status, error } = await visitor.signIn(spoke, login);
  if (status !== "complete") throw new Error(`${login} could not sign in: ${error}`);
  return visitor;
}
