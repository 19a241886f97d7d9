import { Link } from "@tanstack/react-router";
import { useIsAdmin } from "../../shared/session/session.ts";

/** A contributor's login; it leads an admin to the contributor's own page. */
export function ContributorName({ login }: { readonly login: string }) {
  const isAdmin = useIsAdmin();
  if (!isAdmin) return <bdi>{login}</bdi>;
  return (
    <Link to="/contributors/$id" params={{ id: login } as never}>
      <bdi>{login}</bdi>
    </Link>
  );
}
