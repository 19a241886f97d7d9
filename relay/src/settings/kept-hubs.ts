import { type Environment, UsageError, variable } from "@nest/kit";
import { webSocketAddress } from "@nest/protocol";

/**
 * What `contributor.env` keeps, for an environment that may name hubs of its own: then it has the tokens and ids of those hubs, in
 * their order. A token is for the hub that issued it; no other one is shown it.
 *
 * @throws UsageError naming the hubs at which nobody has registered.
 */
export function keptFor(
  environment: Environment,
  kept: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const missing = hubsNotKept(environment, kept);
  if (missing.length > 0)
    throw new UsageError(`NEST_HUB: no registration at ${missing.join(", ")} is kept`, {
      hint: "contribute-setup makes one; where a hub has moved, change its address in contributor.env",
    });
  const named = ownHubs(environment, kept);
  if (named === undefined) return kept;
  const [addresses, tokens, ids] = listsOf(kept);
  const places = named.map((hub) => addresses.indexOf(comparable(hub)));
  const chosen = (list: readonly string[]) => places.map((at) => list[at] ?? "").join(",");
  return {
    ...kept,
    NEST_HUB: named.join(","),
    NEST_REGISTRATION_TOKEN: chosen(tokens),
    ...(ids.length === addresses.length ? { NEST_CONTRIBUTOR_ID: chosen(ids), CONTRIBUTOR_ID: chosen(ids) } : {}),
  };
}

/** The hosts that the environment names and `contributor.env` has no token for. */
export function hubsNotKept(environment: Environment, kept: Environment): readonly string[] {
  const [addresses] = listsOf(kept);
  const missing = (ownHubs(environment, kept) ?? []).filter((hub) => !addresses.includes(comparable(hub)));
  return missing.map((hub) => new URL(hub).host);
}

/** The same for every way in which one hub's address can be written. An address that is none is left as it is. */
export function comparable(hub: string): string {
  try {
    return webSocketAddress(hub);
  } catch {
    return hub;
  }
}

/** The hubs that the environment alone names, where their tokens have to come from `contributor.env`. */
function ownHubs(environment: Environment, kept: Environment): readonly string[] | undefined {
  const named = variable(environment, "NEST_HUB");
  if (named === undefined || variable(environment, "NEST_REGISTRATION_TOKEN") !== undefined) return undefined;
  if (variable(kept, "NEST_HUB") === undefined || variable(kept, "NEST_REGISTRATION_TOKEN") === undefined)
    return undefined;
  const hubs = partsOf(named);
  return hubs.every(isAddress) ? hubs : undefined;
}

function isAddress(hub: string): boolean {
  try {
    webSocketAddress(hub);
    return true;
  } catch {
    return false;
  }
}

function listsOf(kept: Environment): readonly [readonly string[], readonly string[], readonly string[]] {
  const ids = variable(kept, "NEST_CONTRIBUTOR_ID") ?? kept.CONTRIBUTOR_ID;
  return [
    partsOf(variable(kept, "NEST_HUB")).map(comparable),
    partsOf(variable(kept, "NEST_REGISTRATION_TOKEN")),
    partsOf(ids),
  ];
}

function partsOf(list: string | undefined): readonly string[] {
  return (list ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
