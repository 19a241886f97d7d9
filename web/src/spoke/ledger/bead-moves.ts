import type { BeadStatus, nestLedger } from "@nest/protocol";
import type { InfiniteData } from "@tanstack/react-query";
import type { z } from "zod";

type LedgerBead = nestLedger.LedgerBead;
export type BeadPage = z.infer<typeof nestLedger.beads.reply>;
/** What was read so far of one column of the board. */
export type Column = InfiniteData<BeadPage, string>;

export function isSameBead(one: LedgerBead, other: LedgerBead): boolean {
  return one.id === other.id && one.agent === other.agent;
}

/**
 * A column as it is once a bead has changed: without it where it no longer belongs, changed in its place where it was, and on top
 * where it has come to.
 */
export function columnAfter(column: Column, status: BeadStatus, changed: LedgerBead): Column {
  const belongs = changed.status === status;
  const wasThere = column.pages.some(({ beads }) => beads.some((bead) => isSameBead(bead, changed)));
  if (!belongs && !wasThere) return column;
  const pages = column.pages.map((page, nth) => ({
    ...page,
    beads: [
      ...(belongs && !wasThere && nth === 0 ? [changed] : []),
      ...page.beads.flatMap((bead) => (isSameBead(bead, changed) ? (belongs ? [changed] : []) : [bead])),
    ],
  }));
  return { ...column, pages };
}
