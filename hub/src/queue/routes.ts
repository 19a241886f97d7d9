import {
  type CommandBatcher,
  changeSetting,
  HOLD_PREFIX,
  type Ledger,
  type OperatorHold,
  ORDER_SETTING,
  type Queue,
  type QueueFeed,
} from "@nest/dispatch";
import { contribute, queue as described } from "@nest/protocol";
import type { FastifyRequest } from "fastify";
import type { HubRoutes } from "../access/viewer.ts";
import type { Webhooks } from "./webhooks.ts";

export interface QueueRouteDeps {
  readonly queue: Queue;
  readonly monitor: QueueFeed;
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly webhooks: Webhooks;
  readonly now: () => number;
}

/** Routes for operators' actions on the queue (read the code host now, put an issue first, hold it), and for webhooks. */
export function registerQueueRoutes(routes: HubRoutes, deps: QueueRouteDeps): void {
  const { queue, monitor, batcher, webhooks } = deps;
  routes.serve(contribute.refreshQueue, async () => {
    const result = await monitor.refresh();
    return { ...result, failed: [...result.failed], actionable_items: queue.actionable };
  });
  serveOrder(routes, deps);
  serveHolds(routes, deps);
  routes.serve(described.lift, async ({ body, actor }) => {
    const keys = body.keys?.map((key) => key.toLowerCase());
    const effects = await batcher.ask({ kind: "lift", keys, reasons: body.reasons, actor });
    const done = effects.find((effect) => effect.kind === "done");
    return { ok: true as const, lifted: [...(done?.released ?? [])] };
  });
  serveWebhooks(routes, webhooks);
}

function serveOrder(routes: HubRoutes, { ledger, batcher }: QueueRouteDeps): void {
  routes.serve(described.order, () => ({
    order: (ledger.setting(ORDER_SETTING) as string[] | undefined) ?? [],
    hold: holdsIn(ledger).map(([key, { reason, by, at }]) => ({ key, reason, by, at: new Date(at).toISOString() })),
  }));
  routes.serve(described.setOrder, async ({ body, actor }) => {
    const order = [...new Set(body.order.map((key) => key.toLowerCase()))];
    await changeSetting({ ledger, batcher }, { name: ORDER_SETTING, actor }, (before = []) => {
      if (JSON.stringify(before) === JSON.stringify(order)) return undefined;
      const audit = { action: "queue order", subject: "queue", before, after: order } as const;
      return { value: order.length === 0 ? undefined : order, audit };
    });
    return { ok: true as const, order };
  });
}

function serveHolds(routes: HubRoutes, { ledger, batcher, now }: QueueRouteDeps): void {
  const setHold = (key: string, hold: OperatorHold | undefined, actor: string) =>
    changeSetting({ ledger, batcher }, { name: HOLD_PREFIX + key, actor }, (before) => {
      if (before === undefined && hold === undefined) return undefined;
      const action = hold === undefined ? "queue hold ended" : "queue hold";
      const reasons = { before: (before as OperatorHold | undefined)?.reason ?? null, after: hold?.reason ?? null };
      return { value: hold, audit: { action, subject: key, ...reasons } };
    });

  routes.serve(described.hold, async ({ body, actor }) => {
    const key = body.key.toLowerCase();
    const reason = body.reason ?? "";
    await setHold(key, body.held ? { reason, by: actor, at: now() } : undefined, actor);
    const hold = holdsIn(ledger).map(([held]) => held);
    return { ok: true as const, key, held: body.held, ...(reason === "" ? {} : { reason }), hold };
  });

  routes.serve(described.clearHolds, async ({ actor }) => {
    const held = holdsIn(ledger);
    await Promise.all(held.map(([key]) => setHold(key, undefined, actor)));
    return { ok: true as const, cleared: held.length, hold: [] };
  });
}

function serveWebhooks(routes: HubRoutes, webhooks: Webhooks): void {
  const checkHead = ({ headers }: FastifyRequest): void => webhooks.checkHead(headers["x-hub-signature-256"]);
  routes.serveBytes(described.webhook, checkHead, (body, request, reply) => {
    const header = (name: string) => {
      const value = request.headers[name];
      return typeof value === "string" ? value : undefined;
    };
    reply.code(202);
    return webhooks.take({
      body,
      signature: header("x-hub-signature-256"),
      event: header("x-github-event"),
      delivery: header("x-github-delivery"),
      isForm: header("content-type")?.startsWith("application/x-www-form-urlencoded") === true,
    });
  });
}

/** The issues that operators hold, longest hold first. */
function holdsIn(ledger: Ledger): (readonly [key: string, hold: OperatorHold])[] {
  return ledger
    .settingsOf(HOLD_PREFIX)
    .map(([name, hold]) => [name.slice(HOLD_PREFIX.length), hold as OperatorHold] as const)
    .sort(([, a], [, b]) => a.at - b.at);
}
