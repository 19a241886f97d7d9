import { z } from "zod";
import { FleetRelay, OwnLimits } from "./contribute.ts";
import { ContributorRow, ContributorTask, Message } from "./contributors.ts";
import { Cursor } from "./paging.ts";
import { route } from "./route.ts";

export const MyContributions = z.object({
  /** Absent for who is signed in and was never registered as a contributor. */
  contributor: ContributorRow.optional(),
  /** Absent when not registered or revoked. */
  limits: OwnLimits.optional(),
  /** Their connected relays, on every replica. */
  sessions: z.array(FleetRelay),
  /** What admins of the hub wrote to them, newest first. */
  messages: z.array(Message).default([]),
  /** The tasks they were given, newest first. */
  history: z.array(ContributorTask),
  next_cursor: z.string().optional(),
});
export type MyContributions = z.infer<typeof MyContributions>;

export const mine = route({
  method: "GET",
  path: "/api/contribute/me",
  summary:
    "How one stands as a contributor: limits, connected relays, tasks; for a registration token or who is signed in",
  access: "contributor",
  query: z.strictObject({
    limit: z.coerce.number().int().min(1).max(200).default(10),
    cursor: Cursor.optional(),
  }),
  reply: MyContributions,
});

export const disconnectMine = route({
  method: "POST",
  path: "/api/contribute/me/disconnect",
  summary: "Cut one connection of one's own; the relay comes back by itself and goes on with what it holds",
  access: "contributor",
  body: z.strictObject({ connection_id: z.string().regex(/^[\w.-]{1,100}$/, "not a connection's id") }),
  reply: z.object({ ok: z.literal(true) }),
});
