import { tasks, tiers } from "@nest/protocol";
import { z } from "zod";

const text = z.string().max(100).optional().catch(undefined);
const day = z.iso.date().optional().catch(undefined);

/** The filters of the page that finds tasks. */
export const FindTasksSearch = z.object({
  q: text,
  repo: text,
  contributor: text,
  outcome: text,
  failure_kind: text,
  backend: text,
  tier: z
    .enum([...tiers, tasks.UNKNOWN])
    .optional()
    .catch(undefined),
  model: text,
  version: text,
  since: day,
  until: day,
});
export type FindTasksSearch = z.infer<typeof FindTasksSearch>;
