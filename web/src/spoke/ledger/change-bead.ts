import { beadStatuses, type nestLedger } from "@nest/protocol";
import { queries } from "../../shared/call/queries.ts";
import { type Column, columnAfter } from "./bead-moves.ts";

type LedgerBead = nestLedger.LedgerBead;

/** Under which the board's columns are read. */
export const beadsKey = "beads";

/** Changes a bead: the board shows it at once, and as it was before if that fails. */
export async function changeBead(
  before: LedgerBead,
  guess: LedgerBead,
  send: () => Promise<{ readonly value: { readonly bead: LedgerBead } }>,
): Promise<LedgerBead> {
  putBead(guess);
  try {
    const { bead } = (await send()).value;
    putBead(bead);
    return bead;
  } catch (thrown) {
    putBead(before);
    throw thrown;
  } finally {
    // What waits for it may be ready now, and the other way round.
    void queries.invalidateQueries({ queryKey: [beadsKey] });
  }
}

/** Takes a bead into every column of the board that is shown. */
function putBead(bead: LedgerBead): void {
  for (const status of beadStatuses)
    queries.setQueriesData<Column>({ queryKey: [beadsKey, "column", status] }, (column) =>
      column === undefined ? undefined : columnAfter(column, status, bead),
    );
}
