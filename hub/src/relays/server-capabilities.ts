import { additions } from "@nest/protocol";

/**
 * The capabilities that a hub announces in `auth_challenge` and `auth_ok`; `token_refresh` only if it issues task
 * credentials.
 */
export function serverCapabilities(handsOutCredentials: boolean): string[] {
  const names = [
    "task_unavailable_reasons",
    "capability_declare",
    "credential_after_accept",
    "completion_verdict",
    "blocked_verdict",
    ...additions,
  ];
  return handsOutCredentials ? [...names, "token_refresh"] : names;
}
