import { z } from "zod";

/** What the ledger shows: as a board or as the list of what is ready, of one agent or of all, with a text in it. */
export const LedgerSearch = z.object({
  view: z.enum(["board", "ready"]).optional().catch(undefined),
  agent: z.string().max(100).optional().catch(undefined),
  q: z.string().max(100).optional().catch(undefined),
});
