import { type CommandBatcher, changeSetting, type Ledger, ORDER_SETTING, operatorHolds } from "@nest/dispatch";
import { NestError } from "@nest/kit";
import { queue as described } from "@nest/protocol";
import type { HubRoutes } from "../access/viewer.ts";
import { differenceOfOrders } from "./order-words.ts";

export interface OrderRouteDeps {
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly now: () => number;
}

type Order = readonly string[];

/**
 * Routes for the issues that operators pinned to the front of the queue. Each change is made in one transaction, of the list that is in
 * force then: of two operators who act at once neither undoes what the other did without being told.
 */
export function registerOrderRoutes(routes: HubRoutes, deps: OrderRouteDeps): void {
  const { ledger, now } = deps;
  routes.serve(described.order, () => ({
    order: orderIn(ledger.setting(ORDER_SETTING)),
    hold: operatorHolds(ledger, now()).map(([key, { reason, by, at, until }]) => ({
      key,
      reason,
      by,
      at: iso(at),
      ...(until === undefined ? {} : { until: iso(until) }),
    })),
  }));
  routes.serve(described.setOrder, async ({ body, actor }) => {
    const expected = body.expected === undefined ? undefined : unique(body.expected);
    const { order } = await change(deps, actor, (before) => {
      if (expected !== undefined && !isSame(before, expected)) throw orderChanged(expected, before);
      return unique(body.order);
    });
    return { ok: true as const, order };
  });
  routes.serve(described.pinFirst, async ({ body, actor }) => ({
    ok: true as const,
    ...(await change(deps, actor, (before) => withinLimit(unique([...body.keys, ...before])))),
  }));
  routes.serve(described.unpin, async ({ body, actor }) => {
    const gone = new Set(unique(body.keys));
    return { ok: true as const, ...(await change(deps, actor, (before) => before.filter((key) => !gone.has(key)))) };
  });
}

/** Makes the new list from the one in force, and returns both. */
async function change(
  { ledger, batcher }: OrderRouteDeps,
  actor: string,
  made: (before: Order) => Order,
): Promise<{ before: string[]; order: string[] }> {
  let changed: { before: string[]; order: string[] } = { before: [], order: [] };
  await changeSetting({ ledger, batcher }, { name: ORDER_SETTING, actor }, (value) => {
    const before = orderIn(value);
    const order = [...made(before)];
    changed = { before, order };
    if (isSame(before, order)) return undefined;
    const audit = { action: "queue order", subject: "queue", before, after: order } as const;
    return { value: order.length === 0 ? undefined : order, audit };
  });
  return changed;
}

function orderIn(value: unknown): string[] {
  return [...((value as Order | undefined) ?? [])];
}

function unique(keys: Order): string[] {
  return [...new Set(keys.map((key) => key.toLowerCase()))];
}

function isSame(one: Order, other: Order): boolean {
  return one.length === other.length && one.every((key, at) => key === other[at]);
}

function withinLimit(order: Order): Order {
  if (order.length <= described.MOST_ORDERED) return order;
  throw new NestError(
    "queue_order_full",
    `${order.length} issues would be pinned, more than ${described.MOST_ORDERED}`,
    {
      hint: "unpin some first, or choose fewer; nothing has changed",
    },
  );
}

function orderChanged(expected: Order, before: Order): NestError {
  return new NestError("queue_order_changed", "somebody changed the order of the queue since it was read", {
    hint: `${differenceOfOrders(expected, before)}; look at it again, nothing of yours was saved`,
  });
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
