import { BeadChange, BeadDraft, BeadFilter, BeadId, beadStatuses } from "@nest/protocol";
import { z } from "zod";
import type { Ledger } from "../ledger.ts";

/** A tool of the MCP server. */
export interface McpTool {
  readonly description: string;
  readonly input: z.ZodType;
  /** Answers with what the agent reads, as JSON. */
  readonly call: (ledger: Ledger, input: never) => Promise<unknown> | unknown;
}

const limit = z.number().int().min(1).max(500).optional();
const id = BeadId.describe("the bead's id, as nest-7f3k9a2mxd");

function tool<Input extends z.ZodType>(value: {
  readonly description: string;
  readonly input: Input;
  readonly call: (ledger: Ledger, input: z.output<Input>) => Promise<unknown> | unknown;
}): McpTool {
  return value;
}

/** What an agent can do with its own ledger. */
export const mcpTools: Readonly<Record<string, McpTool>> = {
  ready: tool({
    description:
      "Lists the beads that can be begun now: open, and waiting for nothing. The most urgent first, then the oldest.",
    input: z.strictObject({ limit }),
    call: (ledger, input) => ledger.ready(input.limit ?? 20),
  }),
  list: tool({
    description: "Lists beads, newest first. `next` of an answer is the `cursor` of the next page.",
    input: BeadFilter.extend({
      limit,
      cursor: z
        .string()
        .regex(/^\d{1,15}\..+$/)
        .optional(),
    }),
    call: (ledger, { limit: most = 50, cursor, ...filter }) =>
      ledger.list(filter, { limit: most, ...(cursor === undefined ? {} : { cursor }) }),
  }),
  show: tool({
    description: "Shows everything of one bead, with what it waits for and who waits for it.",
    input: z.strictObject({ id }),
    call: (ledger, input) => {
      const waits = ledger.waits(input.id);
      return { ...ledger.show(input.id), waits_for: waits.for, waited_for_by: waits.by };
    },
  }),
  create: tool({
    description: "Writes a bead down: one piece of work. `depends_on` names what has to be done before it.",
    input: BeadDraft,
    call: (ledger, input) => ledger.create(input),
  }),
  update: tool({
    description:
      "Changes a bead; keys that are absent stay. To take a bead, set its status to in_progress with if_status [open]: of several agents one gets it.",
    input: BeadChange.extend({ id, if_status: z.array(z.enum(beadStatuses)).optional() }),
    call: (ledger, { id: bead, if_status, ...change }) => ledger.update(bead, change, if_status),
  }),
  close: tool({
    description: "Says that nothing is left to do on a bead, and why. What waited for it becomes ready.",
    input: z.strictObject({ id, because: z.string().optional() }),
    call: (ledger, input) => ledger.close(input.id, input.because),
  }),
  remember: tool({
    description: "Notes something down: at the end of a bead's notes, or without a bead as an advisory for later.",
    input: z.strictObject({ text: z.string(), id: id.optional() }),
    call: (ledger, input) => ledger.remember(input.text, input.id),
  }),
};
