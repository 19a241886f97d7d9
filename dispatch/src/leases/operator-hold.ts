import { HOLD_PREFIX, type Ledger } from "./ledger.ts";

/** An operator's word that an issue is not to be handed out. */
export interface OperatorHold {
  readonly reason: string;
  readonly by: string;
  readonly at: number;
  /** When it ends by itself (ms); absent: when somebody lets the issue go. */
  readonly until?: number | undefined;
}

/** The hold on an issue now; one that is over is none. */
export function operatorHoldOn(ledger: Pick<Ledger, "setting">, key: string, now: number): OperatorHold | undefined {
  const hold = ledger.setting(HOLD_PREFIX + key) as OperatorHold | undefined;
  return hold?.until !== undefined && hold.until <= now ? undefined : hold;
}

/** Every issue that an operator holds now, the longest hold first. */
export function operatorHolds(
  ledger: Pick<Ledger, "settingsOf" | "setting">,
  now: number,
): (readonly [key: string, hold: OperatorHold])[] {
  return ledger
    .settingsOf(HOLD_PREFIX)
    .flatMap(([name]) => {
      const key = name.slice(HOLD_PREFIX.length);
      const hold = operatorHoldOn(ledger, key, now);
      return hold === undefined ? [] : [[key, hold] as const];
    })
    .sort(([, a], [, b]) => a.at - b.at);
}
