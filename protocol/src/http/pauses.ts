import { z } from "zod";
import { route } from "./route.ts";

/** Whom a pause is about. */
export const PauseScope = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("everything") }),
  z.strictObject({ kind: z.literal("contributor"), contributor_id: z.string().min(1).max(128) }),
  z.strictObject({
    kind: z.literal("session"),
    contributor_id: z.string().min(1).max(128),
    session: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "not a session's name"),
  }),
]);
export type PauseScope = z.infer<typeof PauseScope>;

export const Pause = z.object({
  scope: PauseScope,
  /** The contributor's login, where the pause is about one. */
  github_username: z.string().optional(),
  note: z.string(),
  /** Absent: until an admin ends it. */
  until: z.string().optional(),
  by: z.string(),
  at: z.string(),
});
export type Pause = z.infer<typeof Pause>;

export const pauses = route({
  method: "GET",
  path: "/api/contribute/pauses",
  summary: "Who is paused now, by whom, why and until when",
  access: "admin",
  scope: "read",
  reply: z.object({ pauses: z.array(Pause) }),
});

export const setPause = route({
  method: "PUT",
  path: "/api/contribute/pauses",
  summary:
    "Give a contributor, one of their relays, or everybody no work until a time, or until it is ended; what is under way goes on",
  access: "admin",
  scope: "operate",
  body: z.strictObject({
    scope: PauseScope,
    note: z.string().max(500).default(""),
    until: z.iso.datetime({ offset: true }).optional(),
  }),
  reply: z.object({ ok: z.literal(true), pause: Pause }),
});

export const endPause = route({
  method: "POST",
  path: "/api/contribute/pauses/end",
  summary: "End a pause; relays that wait get work at once",
  access: "admin",
  scope: "operate",
  body: z.strictObject({ scope: PauseScope }),
  reply: z.object({ ok: z.literal(true), ended: z.boolean() }),
});
