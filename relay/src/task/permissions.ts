import type { Session } from "../session/session.ts";

/** The permissions that a token needs for a task to end in a pull request. */
const NEEDED = ["contents:write", "pulls:write"];

/** Whether a token of these permissions can push and open a pull request; false also where the hub states none. Pure. */
export function mayPush(permissions: readonly string[] | undefined): boolean {
  return NEEDED.every((needed) => permissions?.includes(needed));
}

/**
 * Why a hub's tasks could not end in a pull request: the token it hands out may neither push nor open one, and the contributor
 * is not signed in on this machine. Undefined when they can, or where the hub does not say what its token may do.
 */
export function lackOfLogin(session: Session, isSignedIn: boolean): string | undefined {
  const { permissions = [], capabilities, tier } = session;
  if (isSignedIn || !capabilities.has("token_refresh") || permissions.length === 0 || mayPush(permissions))
    return undefined;
  return `the token that ${session.hub.host} hands out for your tier (${tier ?? "unknown"}) can neither push nor open a pull request, and you are not signed in to the code host here`;
}

/** What a person can do about it. */
export const LOGIN_HINT = "run gh auth login, or set GH_TOKEN; the relay looks again every minute";
