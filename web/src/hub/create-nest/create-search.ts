import { z } from "zod";

/** What the address of the wizard says: the placeholder that is given to an owner. Nothing else of it is kept there. */
export const CreateSearch = z.object({
  claim: z.string().max(100).optional().catch(undefined),
});
