import type { queue } from "@nest/protocol";
import { BLOCKED_PREFIX } from "./blocked.ts";
import type { Effect } from "./commands.ts";
import { lifted } from "./cooldown.ts";
import type { DeciderDeps, Of } from "./decider-deps.ts";
import { HOLD_PREFIX } from "./ledger.ts";
import { operatorHolds } from "./operator-hold.ts";

type Waiting = readonly [key: string, reason: queue.Liftable];

/** People end the waiting of issues early. Live leases are not affected. */
export function lift(deps: DeciderDeps, command: Of<"lift">, now: number): Effect[] {
  const { ledger } = deps;
  const { keys, reasons, actor, because } = command;
  const released = new Set<string>();
  for (const [key, reason] of waitingOf(deps, keys, now)) {
    if (reasons !== undefined && !reasons.includes(reason)) continue;
    if (reason === "operator_hold") ledger.putSetting(HOLD_PREFIX + key, undefined);
    else ledger.changeItem(key, lifted);
    if (reason === "blocked" && ledger.setting(BLOCKED_PREFIX + key) !== undefined)
      ledger.putSetting(BLOCKED_PREFIX + key, undefined);
    ledger.audit({ at: now, actor, action: "wait ended", subject: key, before: reason, after: because ?? null });
    released.add(key);
  }
  return [{ kind: "done", released: [...released] }];
}

/** Why the given issues, or all issues, wait; an issue may wait for two reasons. */
function waitingOf({ ledger }: DeciderDeps, keys: readonly string[] | undefined, now: number): Waiting[] {
  const wanted = keys === undefined ? undefined : new Set(keys);
  const items = keys === undefined ? [...ledger.items()] : keys.map((key) => ledger.item(key));
  const waiting: Waiting[] = items.flatMap((item) =>
    item?.holdReason === undefined || now >= item.holdUntil ? [] : [[item.key, item.holdReason] as const],
  );
  for (const [key] of operatorHolds(ledger, now)) if (wanted?.has(key) ?? true) waiting.push([key, "operator_hold"]);
  return waiting;
}
