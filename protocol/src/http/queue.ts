import { z } from "zod";
import type { WithheldReason } from "../reasons.ts";
import { route } from "./route.ts";

/** An issue's canonical name: `owner/name#number`. */
const ItemKey = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,100}\/[A-Za-z0-9._-]{1,100}#[1-9][0-9]{0,9}$/, "not owner/name#number");

/** As many issues as can be pinned to the front of the queue. */
export const MOST_ORDERED = 512;

export const order = route({
  method: "GET",
  path: "/api/contribute/queue/order",
  summary: "What operators pinned to the front of the queue, and what they hold back",
  access: "admin",
  scope: "read",
  reply: z.object({
    order: z.array(z.string()),
    /** How many of the pinned issues still wait: they are open, and nobody works on them. */
    waiting: z.number().int(),
    hold: z.array(
      z.object({
        key: z.string(),
        reason: z.string(),
        by: z.string(),
        at: z.string(),
        /** Absent: until somebody lets it go. */
        until: z.string().optional(),
      }),
    ),
  }),
});

/** Two lists of the longest names there are. */
const PINS_BYTES = 512 * 1024;
const Pins = z.array(ItemKey).max(MOST_ORDERED, `more than ${MOST_ORDERED} issues`);

export const setOrder = route({
  method: "PUT",
  path: "/api/contribute/queue/order",
  summary:
    "Pin these issues to the front of the queue, in this order: they are handed out first. The whole list, empty = none. With expected only while that is the list in force",
  access: "admin",
  scope: "operate",
  bodyLimit: PINS_BYTES,
  body: z.strictObject({
    order: Pins,
    /** The list from which this one was made; without it, whatever is in force is replaced. */
    expected: Pins.optional(),
  }),
  reply: z.object({ ok: z.literal(true), order: z.array(z.string()) }),
});

const SomePins = z.strictObject({ keys: Pins.min(1) });
const ChangedOrder = z.object({
  ok: z.literal(true),
  /** The list that was in force before. */
  before: z.array(z.string()),
  order: z.array(z.string()),
});

export const pinFirst = route({
  method: "POST",
  path: "/api/contribute/queue/order/first",
  summary: "Pin these issues to the front of the queue, in this order; what is pinned already comes after them",
  access: "admin",
  scope: "operate",
  bodyLimit: PINS_BYTES,
  body: SomePins,
  reply: ChangedOrder,
});

export const unpin = route({
  method: "POST",
  path: "/api/contribute/queue/order/remove",
  summary: "Unpin these issues: they wait for their turn again; the other pinned ones keep their order",
  access: "admin",
  scope: "operate",
  bodyLimit: PINS_BYTES,
  body: SomePins,
  reply: ChangedOrder,
});

export const hold = route({
  method: "POST",
  path: "/api/contribute/queue/hold",
  summary: "Hold an issue back, until a time or until it is let go, or let it go; who works on it goes on",
  access: "admin",
  scope: "operate",
  body: z.strictObject({
    key: ItemKey,
    held: z.boolean(),
    reason: z.string().max(200).optional(),
    until: z.iso.datetime({ offset: true }).optional(),
  }),
  reply: z.object({
    ok: z.literal(true),
    key: z.string(),
    held: z.boolean(),
    reason: z.string().optional(),
    until: z.string().optional(),
    hold: z.array(z.string()),
  }),
});

export const holdMany = route({
  method: "POST",
  path: "/api/contribute/queue/holds",
  summary: "Hold many issues back, or let them go, as one of them; changed says for how many that was new",
  access: "admin",
  scope: "operate",
  body: z.strictObject({
    keys: z.array(ItemKey).min(1).max(MOST_ORDERED, `more than ${MOST_ORDERED} issues`),
    held: z.boolean(),
    reason: z.string().max(200).optional(),
    until: z.iso.datetime({ offset: true }).optional(),
  }),
  reply: z.object({ ok: z.literal(true), changed: z.number().int() }),
});

export const clearHolds = route({
  method: "POST",
  path: "/api/contribute/queue/hold/clear",
  summary: "Let every held issue go again",
  access: "admin",
  scope: "operate",
  reply: z.object({ ok: z.literal(true), cleared: z.number().int(), hold: z.array(z.string()) }),
});

/** The reasons for waiting that an operator can end early: after an earlier hand-out, and an operator's own hold. */
export const liftable = [
  "connection_lost",
  "given_back",
  "requeued",
  "failed",
  "quarantined",
  "verifying",
  "completed",
  "completed_without_pull_request",
  "no_work_needed",
  "blocked",
  "operator_hold",
] as const satisfies readonly WithheldReason[];
export type Liftable = (typeof liftable)[number];

export const lift = route({
  method: "POST",
  path: "/api/contribute/queue/lift",
  summary:
    "End the waiting of these issues, or of all that wait for one of these reasons; failures counted so far are forgotten",
  access: "admin",
  scope: "operate",
  body: z
    .strictObject({
      keys: z.array(ItemKey).min(1).max(MOST_ORDERED, `more than ${MOST_ORDERED} issues`).optional(),
      reasons: z.array(z.enum(liftable)).min(1).optional(),
    })
    .refine(({ keys, reasons }) => keys !== undefined || reasons !== undefined, "name keys, reasons, or both"),
  reply: z.object({ ok: z.literal(true), lifted: z.array(z.string()) }),
});

export const webhook = route({
  method: "POST",
  path: "/api/github/webhook",
  summary: "The code host tells what changed: signed with the webhook secret, each delivery taken once",
  access: "code-host",
  bodyLimit: 5 * 1024 * 1024,
  reply: z.object({ ok: z.literal(true), refreshing: z.array(z.string()) }),
});
