import type { RouteRegistry } from "@nest/http";
import type { TokenScope } from "@nest/protocol";

/** The hub's routes. */
export type HubRoutes = RouteRegistry<Viewer>;

/** Who asks, as far as the hub knows. */
export type Viewer =
  | { readonly kind: "anonymous" }
  /** Automation with the hub's admin token. */
  | { readonly kind: "admin-token" }
  /** Automation with a token that an admin made; it was let in because its scope is enough for the route. */
  | {
      readonly kind: "api-token";
      readonly id: string;
      readonly name: string;
      readonly scope: TokenScope;
      readonly madeBy: string;
    }
  /** Somebody signed in by cookie. */
  | {
      readonly kind: "user";
      readonly login: string;
      /** The code host's number of the account that signed in, where the sign-in told it. */
      readonly accountId?: number | undefined;
      /** The id of the session; none where the login's cookie alone authenticates. */
      readonly sid?: string | undefined;
      readonly isAdmin: boolean;
    }
  /** A spoke with the hub's secret, or with a key of its own for one nest. */
  | { readonly kind: "spoke"; readonly nestId: string | undefined }
  /** A contributor with their registration token. */
  | { readonly kind: "contributor"; readonly contributorId: string; readonly login: string };

/**
 * Whether somebody has the hub admin role. An API token counts: it sees what its maker sees, and reaches only routes for which its
 * scope is enough.
 */
export function isAdmin(viewer: Viewer): boolean {
  return viewer.kind === "admin-token" || viewer.kind === "api-token" || (viewer.kind === "user" && viewer.isAdmin);
}

/** Whether two requests were made by the same identity with the same rights. */
export function sameViewer(one: Viewer, other: Viewer): boolean {
  const tokenOf = (viewer: Viewer) => (viewer.kind === "api-token" ? viewer.id : undefined);
  return (
    one.kind === other.kind &&
    actorOf(one) === actorOf(other) &&
    isAdmin(one) === isAdmin(other) &&
    tokenOf(one) === tokenOf(other)
  );
}

/** The name under which the audit knows somebody. */
export function actorOf(viewer: Viewer): string {
  switch (viewer.kind) {
    case "anonymous":
      return "anyone";
    case "spoke":
      return viewer.nestId ?? "spoke";
    case "admin-token":
      return "admin-token";
    case "api-token":
      return `token ${viewer.name} (by ${viewer.madeBy})`;
    case "user":
    case "contributor":
      return viewer.login;
  }
}
