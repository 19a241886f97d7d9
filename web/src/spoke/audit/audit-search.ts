import { z } from "zod";

/** The filter of the audit page. */
export const AuditSearch = z.object({
  actor: z.string().max(100).optional().catch(undefined),
});
