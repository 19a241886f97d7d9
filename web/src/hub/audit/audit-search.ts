import { z } from "zod";

/** Which changes are shown. */
export const AuditSearch = z.object({
  q: z.string().max(100).optional().catch(undefined),
});
