import { runOutcomes } from "@nest/protocol";
import { z } from "zod";

/** The filters of the list of runs. */
export const RunsSearch = z.object({
  agent: z.string().max(100).optional().catch(undefined),
  outcome: z.enum(runOutcomes).optional().catch(undefined),
  issue: z.string().max(220).optional().catch(undefined),
});
