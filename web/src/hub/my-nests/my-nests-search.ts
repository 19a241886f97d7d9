import { z } from "zod";

/** The filters and the order of the list of nests. */
export const MyNestsSearch = z.object({
  q: z.string().max(100).optional().catch(undefined),
  status: z.string().max(60).optional().catch(undefined),
  cluster: z.string().max(100).optional().catch(undefined),
  only: z.enum(["offline", "differs"]).optional().catch(undefined),
  sort: z.enum(["name", "created", "status", "heartbeat"]).optional().catch(undefined),
});
export type MyNestsSearch = z.infer<typeof MyNestsSearch>;
