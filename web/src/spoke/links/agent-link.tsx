import { Link } from "@tanstack/react-router";

/** A link to an agent's card. */
export function AgentLink({ name }: { readonly name: string }) {
  return (
    <Link to="/agents" hash={`agent-${name}`}>
      <bdi>{name}</bdi>
    </Link>
  );
}
