import type { Ledger } from "../leases/ledger.ts";

/** The setting with the keys of the issues that operators pinned to the front of the queue, the first of them first. */
export const ORDER_SETTING = "queue_order";

/** The keys of the pinned issues, in their order. */
export function pinnedOrder(ledger: Pick<Ledger, "setting">): readonly string[] {
  return (ledger.setting(ORDER_SETTING) as readonly string[] | undefined) ?? [];
}
