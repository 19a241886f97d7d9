import { z } from "zod";
import { relayKinds } from "./relay-kinds.ts";

/** What of the queue and of the relays is shown. */
export const OperationsSearch = z.object({
  /** `withheld`: not what is on offer but what is not. */
  queue: z.enum(["withheld"]).optional().catch(undefined),
  /** Of what is withheld: for which reason. */
  reason: z.string().max(60).optional().catch(undefined),
  q: z.string().max(200).optional().catch(undefined),
  relays: z.enum(relayKinds).optional().catch(undefined),
  relay_q: z.string().max(100).optional().catch(undefined),
});
