import type { Contributor } from "@nest/dispatch";
import { type contributors, tiers } from "@nest/protocol";

type Compare = (a: Contributor, b: Contributor) => number;

const compares: Readonly<Record<contributors.ContributorSort, Compare>> = {
  registered: (a, b) => a.registeredAt - b.registeredAt,
  login: (a, b) => a.login.toLowerCase().localeCompare(b.login.toLowerCase(), "en"),
  tier: (a, b) => tiers.indexOf(a.tier) - tiers.indexOf(b.tier),
  verified: (a, b) => a.verified - b.verified,
  completed: (a, b) => a.completed - b.completed,
  failed: (a, b) => a.failed - b.failed,
  // A contributor who never worked comes after all others.
  last_active: (a, b) => (a.lastActiveAt ?? 0) - (b.lastActiveAt ?? 0),
};

/** Compares contributors for a list. Equal ones are ordered by registration, so that the list's pages are consistent. */
export function inOrderOf(sort: contributors.ContributorSort, direction: "up" | "down"): Compare {
  const turn = direction === "up" ? 1 : -1;
  return (a, b) =>
    turn * compares[sort](a, b) || compares.registered(a, b) || (a.id < b.id ? -1 : Number(a.id !== b.id));
}
