import {
  type CommandBatcher,
  changeSetting,
  type Ledger,
  ORDER_SETTING,
  operatorHolds,
  pinnedOrder,
  type Queue,
} from "@nest/dispatch";
import { NestError } from "@nest/kit";
import { queue as described } from "@nest/protocol";
import type { HubRoutes } from "../access/viewer.ts";
import { differenceOfOrders } from "./order-words.ts";

/** Whoever changed the list earlier than this is not looked for. */
const CHANGES_MS = 24 * 3_600_000;

/** Who changed the list of pinned issues since a time (ms), and to what; the newest change first. */
export type OrderChanges = (sinceMs: number) => Promise<readonly OrderChange[]>;

interface OrderChange {
  readonly actor: string;
  readonly after?: unknown;
}

export interface OrderRouteDeps {
  readonly queue: Queue;
  readonly orderChanges: OrderChanges;
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
  const { ledger, queue, now } = deps;
  routes.serve(
    described.order,
    () => ({
      order: [...pinnedOrder(ledger)],
      waiting: pinnedOrder(ledger).filter((key) => isWaiting(queue, key)).length,
      hold: operatorHolds(ledger, now()).map(([key, { reason, by, at, until }]) => ({
        key,
        reason,
        by,
        at: iso(at),
        ...(until === undefined ? {} : { until: iso(until) }),
      })),
    }),
    { sharedAmong: () => "operators" },
  );
  routes.serve(described.setOrder, async ({ body, actor }) => {
    const expected = body.expected === undefined ? undefined : unique(body.expected);
    let inForce: Order | undefined;
    const { order } = await change(deps, actor, (before) => {
      inForce = expected === undefined || isSame(before, expected) ? undefined : before;
      return inForce ?? unique(body.order);
    });
    if (expected !== undefined && inForce !== undefined)
      throw orderChanged(expected, inForce, changersSince(expected, await deps.orderChanges(now() - CHANGES_MS)));
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

/** Whether a pinned issue is still to be handed out: it is open, and nobody works on it. */
function isWaiting(queue: Queue, key: string): boolean {
  const entry = queue.entry(key);
  return entry !== undefined && entry.withheld?.reason !== "leased";
}

/** Who changed the list since it was `expected`, the first of them first; everybody of those changes where it was not since then. */
function changersSince(expected: Order, changes: readonly OrderChange[]): readonly string[] {
  const at = changes.findIndex(({ after }) => isSame(orderIn(after), expected));
  const since = at < 0 ? changes : changes.slice(0, at);
  return [...new Set(since.map(({ actor }) => actor).reverse())];
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

function orderChanged(expected: Order, before: Order, by: readonly string[]): NestError {
  const who = by.length === 0 ? "somebody" : by.join(" and ");
  return new NestError("queue_order_changed", `${who} changed which issues are pinned since they were read`, {
    hint: `${differenceOfOrders(expected, before)}; look at it again, nothing of yours was saved`,
  });
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
