import { z } from "zod";

/** A fact that no heartbeat is refused for: one that cannot be read counts as not said. */
const fact = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);
const instant = z.iso.datetime({ offset: true });

/** What a spoke says of one of its agents. */
export const AgentFacts = z.object({
  name: z.string().max(100),
  state: z.string().max(100),
  backend: fact(z.string().max(100)),
  enabled: fact(z.boolean()),
  /** Why it is paused: see `AgentPause`. */
  paused: fact(z.object({ cause: z.string().max(40), reason: z.string().max(300), by: fact(z.string().max(100)) })),
  needs_login: fact(z.boolean()),
  quota_exhausted: fact(z.boolean()),
  running_since: fact(instant),
  last_run_at: fact(instant),
  interval_seconds: fact(z.number().nullable()),
  may: fact(z.string().max(40)),
  restarts: fact(z.number().int()),
});
export type AgentFacts = z.infer<typeof AgentFacts>;

/**
 * A spoke's heartbeat to its hub; unknown fields are ignored. A field that is missing says nothing: the hub keeps what it last heard.
 */
export const Heartbeat = z.object({
  nest_id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/i),
  org: z.string().max(100).optional(),
  repos: z.array(z.string().max(200)).max(500).optional(),
  primary_repo: z.string().max(200).optional(),
  acmm_level: z.number().int().optional(),
  agents: z.array(AgentFacts).max(200).optional(),
  governor: fact(z.object({ mode: z.string().max(50), issues: z.number().int(), prs: z.number().int() })),
  /** What the agents used in the last day, as far as their CLIs say it. */
  tokens_24h: fact(z.number().min(0)),
  /** People follow it: anything but an http or https address is dropped, the heartbeat stays good. */
  dashboard_url: fact(z.url({ protocol: /^https?$/ }).max(500)),
  is_public: z.boolean().optional(),
  /** `hosted` for a nest that a hub provisioned. */
  nest_type: fact(z.string().max(40)),
  version: z.string().max(100).optional(),
  started_at: fact(instant),
  /** The code host's app has no installation or no key yet. */
  github_app_required: fact(z.boolean()),
  timestamp: z.string().max(64).optional(),
});
export type Heartbeat = z.infer<typeof Heartbeat>;

/** The header by which a spoke says which nest it is before its body is read; a key of its own opens that nest alone. */
export const NEST_ID_HEADER = "x-nest-id";
