import { z } from "zod";

/** The filter of the users page. */
export const UsersSearch = z.object({
  q: z.string().max(100).optional().catch(undefined),
});
