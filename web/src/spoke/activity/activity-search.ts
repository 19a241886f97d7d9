import { z } from "zod";

/** The filter of the activity page. */
export const ActivitySearch = z.object({
  agent: z.string().max(100).optional().catch(undefined),
});
