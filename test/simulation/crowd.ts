import type { Contributor } from "@nest/hub/dispatch";
import type { Tier } from "@nest/protocol";
import { RelayModel } from "./relay-model.ts";

const TIERS: readonly Tier[] = ["newcomer", "contributor", "trusted", "contributor", "advisor"];

/** The contributors that every world begins with, registered at `now`; some work with two relays. */
export function aCrowd(now: number): { readonly contributor: Contributor; readonly relays: readonly RelayModel[] }[] {
  return TIERS.map((tier, nth) => {
    const id = `c-${nth}`;
    const counts = { grants: 0, completed: 0, verified: 0, failed: 0, promotionBase: 0, streak: 0, pausedUntil: 0 };
    const contributor = {
      id,
      login: `login-${nth}`,
      tokenDigest: `digest-${nth}`,
      tier,
      registeredAt: now,
      lastActiveAt: undefined,
      lastGen: undefined,
      ...counts,
    };
    const first = new RelayModel(id, id);
    return { contributor, relays: nth % 2 === 1 ? [first, new RelayModel(`${id}#second`, id)] : [first] };
  });
}
