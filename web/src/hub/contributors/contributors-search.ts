import { contributors, tiers } from "@nest/protocol";
import { z } from "zod";

/** The filters and the order of the contributors page. */
export const ContributorsSearch = z.object({
  q: z.string().max(100).optional().catch(undefined),
  tier: z.enum(tiers).optional().catch(undefined),
  sort: z.enum(contributors.contributorSorts).optional().catch(undefined),
  direction: z.enum(["up", "down"]).optional().catch(undefined),
});
