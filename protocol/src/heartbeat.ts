import { z } from "zod";

/** A spoke's heartbeat to its hub; unknown fields are ignored, missing ones mean unknown. */
export const Heartbeat = z.object({
  nest_id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/i),
  org: z.string().max(100).optional(),
  repos: z.array(z.string().max(200)).max(500).optional(),
  primary_repo: z.string().max(200).optional(),
  acmm_level: z.number().int().optional(),
  agents: z
    .array(z.object({ name: z.string().max(100), state: z.string().max(100) }))
    .max(200)
    .optional(),
  dashboard_url: z.string().max(500).optional(),
  is_public: z.boolean().optional(),
  version: z.string().max(100).optional(),
  timestamp: z.string().max(64).optional(),
});
export type Heartbeat = z.infer<typeof Heartbeat>;
