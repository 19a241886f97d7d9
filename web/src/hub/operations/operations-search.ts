import { z } from "zod";
import { relayKinds } from "./relay-kinds.ts";

const facet = z.string().max(100).optional().catch(undefined);

/** The filters of the operations page. */
export const OperationsSearch = z.object({
  /** `withheld`: show withheld issues instead of those on offer. */
  queue: z.enum(["withheld"]).optional().catch(undefined),
  /** Show withheld issues of this reason only. */
  reason: z.string().max(60).optional().catch(undefined),
  q: z.string().max(200).optional().catch(undefined),
  relays: z.enum(relayKinds).optional().catch(undefined),
  relay_q: z.string().max(100).optional().catch(undefined),
  relay_tier: facet,
  relay_backend: facet,
  relay_model: facet,
  relay_version: facet,
});
