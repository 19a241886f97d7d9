import { type Contributor, newContributor } from "@nest/dispatch";
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
    const who = { id, login: `login-${nth}`, accountId: undefined, tokenDigest: `digest-${nth}` };
    const contributor = { ...newContributor(who, now), tier };
    const machines = MACHINES[nth] ?? [undefined];
    return {
      contributor,
      relays: machines.map((session) => new RelayModel(session === undefined ? id : `${id}#${session}`, id)),
    };
  });
}
