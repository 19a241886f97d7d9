import {
  type CommandBatcher,
  changeSetting,
  HOLD_PREFIX,
  type Ledger,
  type OperatorHold,
  operatorHoldOn,
  operatorHolds,
  type Queue,
  type QueueFeed,
} from "@nest/dispatch";
import { NestError } from "@nest/kit";
import { contribute, queue as described } from "@nest/protocol";
import type { FastifyRequest } from "fastify";
import type { HubRoutes } from "../access/viewer.ts";
import { type OrderChanges, registerOrderRoutes } from "./order-routes.ts";
import type { Webhooks } from "./webhooks.ts";

export interface QueueRouteDeps {
  readonly queue: Queue;
  readonly monitor: QueueFeed;
  readonly ledger: Ledger;
  readonly batcher: CommandBatcher;
  readonly webhooks: Webhooks;
  readonly orderChanges: OrderChanges;
  readonly now: () => number;
}

/** Routes for operators' actions on the queue (read the code host now, put an issue first, hold it), and for webhooks. */
export function registerQueueRoutes(routes: HubRoutes, deps: QueueRouteDeps): void {
  const { queue, monitor, batcher, webhooks } = deps;
  routes.serve(contribute.refreshQueue, async () => {
    const result = await monitor.refresh();
    return { ...result, failed: [...result.failed], actionable_items: queue.actionable };
  });
  registerOrderRoutes(routes, deps);
  serveHolds(routes, deps);
  routes.serve(described.lift, async ({ body, actor }) => {
    const keys = body.keys?.map((key) => key.toLowerCase());
    const effects = await batcher.ask({ kind: "lift", keys, reasons: body.reasons, actor });
    const done = effects.find((effect) => effect.kind === "done");
    return { ok: true as const, lifted: [...(done?.released ?? [])] };
  });
  serveWebhooks(routes, webhooks);
}

function serveHolds(routes: HubRoutes, { ledger, batcher, now }: QueueRouteDeps): void {
  /** Whether that was new; decided on what is in force when it is written. */
  const setHold = async (
    key: string,
    hold: OperatorHold | undefined,
    actor: string,
    when: "always" | "unless it is so already" = "always",
  ): Promise<boolean> => {
    let isNew = false;
    await changeSetting({ ledger, batcher }, { name: HOLD_PREFIX + key, actor }, (before) => {
      const isHeld = operatorHoldOn(ledger, key, now()) !== undefined;
      isNew = isHeld !== (hold !== undefined);
      if (before === undefined && hold === undefined) return undefined;
      if (!isNew && when === "unless it is so already") return undefined;
      const action = hold === undefined ? "queue hold ended" : "queue hold";
      const words = { before: wordsOf(before as OperatorHold | undefined), after: wordsOf(hold) };
      return { value: hold, audit: { action, subject: key, ...words } };
    });
    return isNew;
  };

  routes.serve(described.hold, async ({ body, actor }) => {
    const key = body.key.toLowerCase();
    const reason = body.reason ?? "";
    const until = body.until === undefined ? undefined : Date.parse(body.until);
    if (until !== undefined && until <= now()) throw new NestError("bad_request", "until: is over already");
    const end = until === undefined ? {} : { until };
    await setHold(key, body.held ? { reason, by: actor, at: now(), ...end } : undefined, actor);
    const hold = operatorHolds(ledger, now()).map(([held]) => held);
    const told = { ...(reason === "" ? {} : { reason }), ...(until === undefined ? {} : { until: iso(until) }) };
    return { ok: true as const, key, held: body.held, ...told, hold };
  });

  routes.serve(described.holdMany, async ({ body, actor }) => {
    const keys = [...new Set(body.keys.map((key) => key.toLowerCase()))];
    const until = body.until === undefined ? undefined : Date.parse(body.until);
    if (until !== undefined && until <= now()) throw new NestError("bad_request", "until: is over already");
    const end = until === undefined ? {} : { until };
    const hold = body.held ? { reason: body.reason ?? "", by: actor, at: now(), ...end } : undefined;
    // A hold that somebody else made meanwhile keeps its reason and its end.
    const changed = await Promise.all(keys.map((key) => setHold(key, hold, actor, "unless it is so already")));
    return { ok: true as const, changed: changed.filter(Boolean).length };
  });

  routes.serve(described.clearHolds, async ({ actor }) => {
    const held = operatorHolds(ledger, now());
    const cleared = await Promise.all(held.map(([key]) => setHold(key, undefined, actor)));
    return { ok: true as const, cleared: cleared.filter(Boolean).length, hold: [] };
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

/** A hold as the audit tells it. */
function wordsOf(hold: OperatorHold | undefined): string | null {
  if (hold?.until === undefined) return hold?.reason ?? null;
  return `until ${iso(hold.until)}${hold.reason === "" ? "" : `: ${hold.reason}`}`;
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
