import { z } from "zod";
import { Bead, BeadChange, BeadDraft, BeadId, beadStatuses } from "../beads.ts";
import { route } from "./route.ts";

/** A bead with the agent in whose ledger it is, and what it waits for. */
export const LedgerBead = Bead.extend({
  agent: z.string(),
  /** Beads that come first and are not finished. */
  waits_for: z.array(z.string()),
  /** Beads that wait for this one. */
  waited_for_by: z.array(z.string()),
});
export type LedgerBead = z.infer<typeof LedgerBead>;

const Agent = z.string().max(100).optional();
const Limit = z.coerce.number().int().min(1).max(500).default(100);

export const beads = route({
  method: "GET",
  path: "/api/beads",
  summary: "The work ledgers of all agents, newest first",
  access: "member",
  query: z.strictObject({
    agent: Agent,
    status: z.enum(beadStatuses).optional(),
    text: z.string().max(200).optional(),
    limit: Limit,
    cursor: z.string().max(160).optional(),
  }),
  reply: z.object({
    beads: z.array(LedgerBead),
    next_cursor: z.string().optional(),
    /** The agents that have a ledger. */
    agents: z.array(z.string()),
    /** Ledgers that cannot be read, with the reason. */
    unreadable: z.array(z.object({ agent: z.string(), reason: z.string() })),
  }),
});

export const readyBeads = route({
  method: "GET",
  path: "/api/beads/ready",
  summary: "What is open and waits for nothing: the most urgent first, then the oldest",
  access: "member",
  query: z.strictObject({ agent: Agent, limit: Limit }),
  reply: z.object({ beads: z.array(LedgerBead), total: z.number().int() }),
});

const Written = z.object({ ok: z.literal(true), bead: LedgerBead });

export const createBead = route({
  method: "POST",
  path: "/api/beads/:agent",
  summary: "Write something down in an agent's ledger",
  access: "operator",
  bodyLimit: 256 * 1024,
  body: BeadDraft,
  reply: Written,
});

export const updateBead = route({
  method: "PUT",
  path: "/api/beads/:agent/:id",
  summary: "Change fields of a bead, or what it waits for; 409 where if_status does not hold",
  access: "operator",
  bodyLimit: 256 * 1024,
  body: BeadChange.extend({
    /** Only while it is in this status. */
    if_status: z.enum(beadStatuses).optional(),
    /** All that it waits for, in place of what it waited for. */
    depends_on: z.array(BeadId).max(200).optional(),
  }),
  reply: Written,
});

export const closeBead = route({
  method: "POST",
  path: "/api/beads/:agent/:id/close",
  summary: "Say that nothing is left to do; a note says why",
  access: "operator",
  body: z.strictObject({ note: z.string().max(4000).optional() }),
  reply: Written,
});
