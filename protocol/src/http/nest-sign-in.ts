import { z } from "zod";
import { route } from "./route.ts";

// Device-flow sign-in of a nest without a hub in front. Each browser has a flow of its own.

export const start = route({
  method: "POST",
  path: "/api/gh-user-auth/start",
  summary: "Begin a sign-in: the code to type in at the code host, and where",
  access: "anyone",
  reply: z.object({
    user_code: z.string(),
    verification_uri: z.string(),
    expires_in: z.number().int(),
    interval: z.number().int(),
  }),
});

export const poll = route({
  method: "POST",
  path: "/api/gh-user-auth/poll",
  summary: "Whether the sign-in that this browser began is done",
  access: "anyone",
  reply: z.object({
    status: z.enum(["pending", "slow_down", "complete", "error"]),
    username: z.string().optional(),
    role: z.string().optional(),
    /** A sentence for people, with `error`. */
    error: z.string().optional(),
    /** Seconds until the next poll is welcome. */
    interval: z.number().optional(),
  }),
});

export const signInStatus = route({
  method: "GET",
  path: "/api/gh-user-auth/status",
  summary: "Who is signed in, with which role, and how one signs in here",
  access: "anyone",
  reply: z.object({
    logged_in: z.boolean(),
    username: z.string().optional(),
    role: z.string().optional(),
    /** `proxy`: the hub in front signs people in. `device`: this nest does. `none`: it cannot, and `hint` says what is missing. */
    by: z.enum(["proxy", "device", "none"]),
    hint: z.string().optional(),
    /** What whoever asks may do. */
    may: z.object({ read: z.boolean(), operate: z.boolean(), configure: z.boolean() }),
  }),
});

export const logout = route({
  method: "POST",
  path: "/api/gh-user-auth/logout",
  summary: "Sign out of this browser",
  access: "anyone",
  reply: z.object({ ok: z.literal(true) }),
});

export const cameFromHub = route({
  method: "GET",
  path: "/sso",
  summary: "Where the hub sends a browser: its ingress has given it a pass by now, and it goes on to the page",
  access: "anyone",
  query: z.looseObject({ to: z.string().max(2000).optional() }),
  produces: "text/html",
  reply: z.string(),
});
