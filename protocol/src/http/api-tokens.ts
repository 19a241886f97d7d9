import { z } from "zod";
import { route, tokenScopes } from "./route.ts";

/** Days that a token lives where nobody says otherwise, and the most that anybody can say. */
export const TOKEN_DAYS = 90;
export const MOST_TOKEN_DAYS = 365;

/** What every API token begins with, so that people and scanners recognise one. */
export const TOKEN_PREFIX = "nest_api_";

/** A token's name stands in the audit, as `token NAME (by LOGIN)`: it has no brackets, and so cannot pretend to be another's. */
const TokenName = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,58}[A-Za-z0-9])?$/,
    "1 to 60 letters, digits, spaces, dots, dashes; a letter or digit at both ends",
  )
  .meta({ examples: ["nightly report"] });

/** An API token as people see it: everything but the token. */
export const ApiToken = z.object({
  id: z.string(),
  name: z.string(),
  scope: z.enum(tokenScopes),
  /** How the token begins. */
  prefix: z.string(),
  made_by: z.string(),
  made_at: z.string(),
  /** Absent: it has no end. */
  ends_at: z.string().optional(),
  /** When it was used last, to the minute; absent: never. */
  used_at: z.string().optional(),
  /** `powerless`: whoever made it is no longer an admin. */
  state: z.enum(["active", "ended", "powerless"]),
});
export type ApiToken = z.infer<typeof ApiToken>;

export const list = route({
  method: "GET",
  path: "/api/tokens",
  summary: "The API tokens of this hub, newest first",
  access: "admin",
  scope: "people",
  reply: z.object({ tokens: z.array(ApiToken) }),
});

export const make = route({
  method: "POST",
  path: "/api/tokens",
  summary: "Make an API token; the answer is the only place where it is ever shown. For admins who are signed in",
  access: "admin",
  scope: "people",
  body: z.strictObject({
    name: TokenName,
    scope: z.enum(tokenScopes),
    days: z.number().int().min(1).max(MOST_TOKEN_DAYS).optional(),
    /** In place of `days`: the token works until somebody revokes it. */
    never_ends: z.literal(true).optional(),
  }),
  reply: z.object({ token: z.string(), about: ApiToken }),
});

export const revoke = route({
  method: "DELETE",
  path: "/api/tokens/:id",
  summary: "Revoke an API token: it is worth nothing from this moment on",
  access: "admin",
  scope: "people",
  reply: z.object({ ok: z.literal(true) }),
});
