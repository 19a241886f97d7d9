import { z } from "zod";
import { tiers } from "../tiers.ts";
import { Cursor } from "./paging.ts";
import { route } from "./route.ts";

export const leaderboardWindows = ["week", "month", "all"] as const;
export type LeaderboardWindow = (typeof leaderboardWindows)[number];

export const LeaderboardRow = z.object({
  rank: z.number().int(),
  github_username: z.string(),
  avatar_url: z.string(),
  trust_tier: z.enum(tiers),
  /** Pull requests that the code host confirmed; the rank follows from this number. */
  tasks_verified: z.number().int(),
  /** Tasks reported as completed, confirmed or not. */
  tasks_completed: z.number().int(),
  tasks_failed: z.number().int(),
  registered_at: z.string(),
  active: z.boolean(),
  is_agent: z.boolean(),
});
export type LeaderboardRow = z.infer<typeof LeaderboardRow>;

export const LeaderboardReply = z.object({
  window: z.enum(leaderboardWindows),
  leaderboard: z.array(LeaderboardRow),
  /** Bots, ranked apart. */
  agents: z.array(LeaderboardRow),
  next_cursor: z.string().optional(),
});
export type LeaderboardReply = z.infer<typeof LeaderboardReply>;

export const leaderboard = route({
  method: "GET",
  path: "/api/leaderboard",
  summary: "Contributors by verified work; revoked ones are hidden, bots stand apart",
  access: "anyone",
  query: z.strictObject({
    window: z.enum(leaderboardWindows).default("all"),
    limit: z.coerce.number().int().min(1).max(500).default(100),
    cursor: Cursor.optional(),
  }),
  reply: LeaderboardReply,
});

export const StyleReport = z.object({
  css: z.string(),
  dropped: z.number().int(),
  reasons: z.array(z.string()),
});

export const style = route({
  method: "GET",
  path: "/api/leaderboard/style",
  summary: "A stylesheet from a repository, cleaned and scoped to the leaderboard; report=1 says what was left out",
  access: "anyone",
  query: z.object({ src: z.string().max(400), report: z.enum(["0", "1"]).optional() }),
  produces: "text/css",
  reply: z.union([z.string(), StyleReport]),
});
