import { isLoopback } from "../config/settings.ts";

/** What is known about who asks for the page. */
export interface Visit {
  readonly listensOn: string;
  readonly peer: string;
  readonly isPublic: boolean;
  readonly hubProxied: boolean;
  /** `X-Nest-Role` as it came; undefined when absent or repeated. */
  readonly role: string | undefined;
}

const roles = new Set(["read", "read-write", "merger", "owner"]);

/**
 * Whether a visitor may see this nest's project and agents. Repository names can be private: until sign-in arrives they
 * are shown on a public nest, to this machine, and to whom the hub in front vouches for.
 */
export function mayRead(visit: Visit): boolean {
  if (visit.isPublic) return true;
  if (visit.hubProxied) return isLoopback(visit.peer) && visit.role !== undefined && roles.has(visit.role);
  return isLoopback(visit.listensOn);
}
