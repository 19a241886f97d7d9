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
  /** A link that people follow: any address other than http or https is dropped, and the rest of the heartbeat is accepted. */
  dashboard_url: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .optional()
    .catch(undefined),
  is_public: z.boolean().optional(),
  version: z.string().max(100).optional(),
  timestamp: z.string().max(64).optional(),
});
export type Heartbeat = z.infer<typeof Heartbeat>;
