import { z } from "zod";
import { route } from "./route.ts";

const ContributorId = z.string().min(1).max(128);
const SessionName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "not a session's name");
const RepositoryName = z.string().regex(/^[A-Za-z0-9._-]{1,100}\/[A-Za-z0-9._-]{1,100}$/, "not owner/name");

/** What a pause is about: everybody, a contributor, one machine of theirs, or the issues of a repository. */
export const PauseScope = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("everything") }),
  z.strictObject({ kind: z.literal("contributor"), contributor_id: ContributorId }),
  z.strictObject({ kind: z.literal("session"), contributor_id: ContributorId, session: SessionName }),
  z.strictObject({ kind: z.literal("repository"), repo: RepositoryName }),
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
  summary: "Who and what is paused now, by whom, why and until when",
  access: "admin",
  scope: "read",
  reply: z.object({ pauses: z.array(Pause) }),
});

export const setPause = route({
  method: "PUT",
  path: "/api/contribute/pauses",
  summary:
    "Give a contributor, one of their relays, or everybody no work, or offer no issue of a repository, until a time or until it is ended; what is under way goes on",
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
  reply: z.object({
    ok: z.literal(true),
    ended: z.boolean(),
    /** The pause that was ended, if one held. */
    pause: Pause.optional(),
  }),
});

/** What a pause would touch if it began now. */
export const PauseEffect = z.object({
  /** Connected relays that would get no work. */
  relays: z.number().int(),
  /** Tasks under way, which go on. */
  tasks: z.number().int(),
  /** Issues on offer that would be offered to nobody. */
  issues: z.number().int(),
});
export type PauseEffect = z.infer<typeof PauseEffect>;

export const pauseEffect = route({
  method: "GET",
  path: "/api/contribute/pauses/effect",
  summary: "How many relays, tasks and issues a pause would touch if it began now",
  access: "admin",
  scope: "read",
  query: z.strictObject({
    kind: z.enum(["everything", "contributor", "session", "repository"]),
    contributor_id: ContributorId.optional(),
    session: SessionName.optional(),
    repo: RepositoryName.optional(),
  }),
  reply: PauseEffect,
});
