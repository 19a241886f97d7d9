import { z } from "zod";
import { route, tokenScopes } from "./route.ts";

export const AuthUser = z.object({
  authenticated: z.boolean(),
  login: z.string().optional(),
  avatar_url: z.string().optional(),
  hub_admin: z.boolean(),
  /** The API token that asks, where one does. */
  token: z.object({ name: z.string(), scope: z.enum(tokenScopes), made_by: z.string() }).optional(),
  /** How this hub lets people sign in. */
  sign_in: z.object({ oauth: z.boolean(), device: z.boolean() }),
});
export type AuthUser = z.infer<typeof AuthUser>;

export const user = route({
  method: "GET",
  path: "/api/auth/user",
  summary: "Who is signed in, and how one can sign in here",
  access: "anyone",
  reply: AuthUser,
});

export const logout = route({
  method: "POST",
  path: "/api/auth/logout",
  summary: "End this session; its cookie is worth nothing from then on",
  access: "anyone",
  reply: z.object({ ok: z.literal(true) }),
});

export const deviceStart = route({
  method: "POST",
  path: "/api/auth/device/start",
  summary: "Begin a sign-in without a browser of ours: show user_code, send the person to verification_uri",
  access: "anyone",
  reply: z.object({
    login_id: z.string(),
    user_code: z.string(),
    verification_uri: z.string(),
    interval: z.number(),
    expires_in: z.number(),
  }),
});

export const devicePoll = route({
  method: "POST",
  path: "/api/auth/device/poll",
  summary: "Ask how a sign-in stands; complete sets the session cookies",
  access: "anyone",
  body: z.strictObject({ login_id: z.string().max(200) }),
  reply: z.object({
    status: z.enum(["pending", "complete", "denied", "expired"]),
    interval: z.number().optional(),
    login: z.string().optional(),
    hub_admin: z.boolean().optional(),
  }),
});

export const login = route({
  method: "GET",
  path: "/login",
  summary: "Sign in: sends the browser to the code host, or shows the device sign-in; redirect is a path on this hub",
  access: "anyone",
  query: z.object({ redirect: z.string().max(2000).optional(), rd: z.string().max(2000).optional() }),
  produces: "text/html",
  reply: z.string(),
});

export const callback = route({
  method: "GET",
  path: "/api/auth/callback",
  summary: "Where the code host sends the browser back after a sign-in",
  access: "anyone",
  query: z.object({
    code: z.string().max(500).optional(),
    state: z.string().max(2000).optional(),
    error: z.string().max(500).optional(),
  }),
  produces: "text/html",
  reply: z.string(),
});
