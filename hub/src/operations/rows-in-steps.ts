/** Rows looked at, or written as JSON, in a step: most are what they were, which is seen in no time. */
export const ROWS_A_STEP = 16;

/**
 * Calls `act` for each row, a few in a step. By index: an iterator makes an object for each row, and with thousands of them each second the
 * heap has to be collected more often, which delays the relays.
 */
export function* rowsInSteps<Row>(rows: readonly Row[], act: (row: Row) => void): Generator<void, void> {
  for (let at = 0; at < rows.length; at += 1) {
    act(rows[at] as Row);
    if (at % ROWS_A_STEP === ROWS_A_STEP - 1) yield;
  }
}
