import type { Contributor } from "@nest/dispatch";
import type { Tier } from "@nest/protocol";
import { RelayModel } from "./relay-model.ts";

const TIERS: readonly Tier[] = ["newcomer", "contributor", "trusted", "contributor", "advisor"];

/** The session names of each contributor's machines: none, one beside none, two, or none on two machines. */
const MACHINES: readonly (readonly (string | undefined)[])[] = [
  [undefined],
  [undefined, "second"],
  [undefined, undefined],
  ["first", "second"],
  [undefined, undefined],
];

/** The contributors that every world begins with, registered at `now`; most work with two machines. */
export function aCrowd(now: number): { readonly contributor: Contributor; readonly relays: readonly RelayModel[] }[] {
  return TIERS.map((tier, nth) => {
    const id = `c-${nth}`;
    const counts = { grants: 0, completed: 0, verified: 0, failed: 0, promotionBase: 0, streak: 0, pausedUntil: 0 };
    const contributor = {
      id,
      login: `login-${nth}`,
      accountId: undefined,
      tokenDigest: `digest-${nth}`,
      tier,
      registeredAt: now,
      lastActiveAt: undefined,
      lastGen: undefined,
      ...counts,
    };
    const machines = MACHINES[nth] ?? [undefined];
    return {
      contributor,
      relays: machines.map((session) => new RelayModel(session === undefined ? id : `${id}#${session}`, id)),
    };
  });
}
