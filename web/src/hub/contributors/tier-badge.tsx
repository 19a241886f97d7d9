import type { Tier as Name } from "@nest/protocol";

/** A trust tier, as a small mark beside a name. */
export function TierBadge({ name }: { readonly name: Name }) {
  return (
    <span className="mark tier-mark" data-tier={name}>
      {name}
    </span>
  );
}
