import { heldBackReasons } from "@nest/protocol";
import { z } from "zod";

/** What the queue shows: all issues, those that agents may take, or those held back for one reason. */
export const QueueSearch = z.object({
  show: z
    .enum(["actionable", ...heldBackReasons])
    .optional()
    .catch(undefined),
  q: z.string().max(100).optional().catch(undefined),
});
