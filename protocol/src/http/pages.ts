import { z } from "zod";
import { leaderboardWindows } from "./leaderboard.ts";
import { route } from "./route.ts";

const html = { method: "GET", access: "anyone", produces: "text/html", reply: z.string() } as const;

export const live = route({ ...html, path: "/", summary: "The main job as it happens" });

/** The pages of the browser app. The hub sends the same app for each; the app asks the API for what its viewer may see. */
export const app = [
  route({ ...html, path: "/operations", summary: "Relays, queue, leases and what happens, live" }),
  route({ ...html, path: "/me", summary: "How one stands as a contributor: limits, tier, relays, tasks" }),
  route({ ...html, path: "/contribute/me", summary: "The same, as the relay's commands name it" }),
  route({
    ...html,
    path: "/tasks/:id",
    summary: "One task: its lease, what happened to it, the attempts at its issue",
  }),
  route({
    ...html,
    path: "/issues/:owner/:name/:number",
    summary: "One issue: whether it is offered now and why not, every attempt at it",
  }),
  route({ ...html, path: "/my-nests", summary: "The nests of whoever is signed in; all for an admin" }),
  route({ ...html, path: "/my-nests/new", summary: "Create a nest, or give a placeholder to its owner" }),
  route({ ...html, path: "/my-nests/:id", summary: "One nest: its steps live, its people, what can be done with it" }),
  route({ ...html, path: "/my-nests/:id/no-access", summary: "For who has no role on a nest: how to ask for one" }),
  route({ ...html, path: "/clusters", summary: "The clusters on which nests live, for admins" }),
  route({ ...html, path: "/users", summary: "Everybody who has signed in, with quota and block, for admins" }),
  route({ ...html, path: "/settings", summary: "The queue configuration, for admins" }),
  route({ ...html, path: "/contributors", summary: "Contributors and their standing, for admins" }),
  route({ ...html, path: "/contributors/:id", summary: "One contributor, for admins" }),
  route({ ...html, path: "/alerts", summary: "What is wrong now, and who is told of it, for admins" }),
  route({ ...html, path: "/numbers", summary: "Numbers over time, for admins" }),
  route({ ...html, path: "/audit", summary: "Who changed what, for admins" }),
  route({
    ...html,
    path: "/issues",
    summary: "Every issue, found by repository, label, author, reason and last change",
  }),
  route({
    ...html,
    path: "/tasks",
    summary: "Every task that was ever given, found by issue, contributor, ending and time",
  }),
  route({ ...html, path: "/tokens", summary: "API tokens for automation, for admins" }),
] as const;

/** The pages of a nest's browser app. */
export const nestApp = [
  route({ ...html, path: "/overview", summary: "How this nest does: mode, queue, agents, spending, charts" }),
  route({ ...html, path: "/agents", summary: "The agents of this nest, live, and what one can do with them" }),
  route({ ...html, path: "/queue", summary: "The issues of its repositories, and why some are held back" }),
  route({ ...html, path: "/runs", summary: "What its agents did" }),
  route({ ...html, path: "/runs/:id", summary: "One run, with its recording" }),
  route({ ...html, path: "/ledger", summary: "The agents' work ledgers as a board" }),
  route({ ...html, path: "/activity", summary: "What happened" }),
  route({ ...html, path: "/audit", summary: "Who changed what" }),
  route({ ...html, path: "/settings", summary: "Its configuration, for its owner" }),
  route({ ...html, path: "/health", summary: "Whether it does its work" }),
] as const;

export const contribute = route({
  ...html,
  path: "/contribute",
  summary: "How to contribute: the queue in numbers, and the commands for the chosen CLI",
  query: z.object({ cli: z.string().max(40).optional() }),
});

export const apiDocs = route({ ...html, path: "/api/docs", summary: "The API as a page to read" });

export const guide = route({
  method: "GET",
  path: "/contribute/guide",
  summary: "How to contribute a machine, in words",
  access: "anyone",
  produces: "text/plain",
  reply: z.string(),
});

export const relayPackage = route({
  method: "GET",
  path: "/contribute/relay.tgz",
  summary: "The relay's package for npm, with every command of a contributor; needs nothing else",
  access: "anyone",
  produces: "application/gzip",
  reply: z.unknown(),
});

export const relayChecksum = route({
  method: "GET",
  path: "/contribute/relay.tgz.sha256",
  summary: "Its SHA-256, as sha256sum reads it",
  access: "anyone",
  produces: "text/plain",
  reply: z.string(),
});

export const leaderboard = route({
  ...html,
  path: "/leaderboard",
  summary: "The leaderboard; style=owner/repo/path.css@ref dresses it",
  query: z.object({
    window: z.enum(leaderboardWindows).catch("all").default("all"),
    style: z.string().max(400).optional(),
    page: z.coerce.number().int().min(1).max(10_000).catch(1).default(1),
  }),
});
