import { z } from "zod";
import { Done } from "./operations.ts";
import { route } from "./route.ts";

/** The windows of the page of numbers: by the hour up to a week, by the day beyond. */
export const numberWindows = ["24h", "7d", "30d", "90d"] as const;
export type NumberWindow = (typeof numberWindows)[number];

const whole = z.number().int();

/** How long relays waited from `ready` until they were given a task. */
export const Wait = z.object({
  count: whole,
  median_ms: z.number(),
  /** The 95th percentile. */
  slow_ms: z.number(),
});
export type Wait = z.infer<typeof Wait>;

/** The ways in which a task fails. `expired`: its relay reported nothing for a lease's time. */
export const failureWays = ["environment", "task", "unspecified", "expired"] as const;

export const Counts = Done.extend({
  /** Of `failed`. */
  failures: z.record(z.enum(failureWays), whole),
  /** Given back, declined, taken back or revoked: neither success nor failure. */
  returned: whole,
  /** Absent when nobody was given a task. */
  wait: Wait.optional(),
});
export type Counts = z.infer<typeof Counts>;

/** The length of the queue, measured every minute. */
export const QueueLength = z.object({
  /** Issues on offer, on average. */
  ready: z.number(),
  ready_most: whole,
  /** Issues withheld, on average. */
  withheld: z.number(),
  withheld_most: whole,
});
export type QueueLength = z.infer<typeof QueueLength>;

export const Point = Counts.extend({
  from: z.string(),
  /** Absent when the hub was not there to measure it. */
  queue: QueueLength.optional(),
  /** The tasks that failed, by backend. */
  failed_by_backend: z.record(z.string(), whole),
});
export type Point = z.infer<typeof Point>;

const search = z.string().max(200).optional();

export const NumbersReply = z.object({
  window: z.enum(numberWindows),
  grain: z.enum(["hour", "day"]),
  /** Up to when tasks are counted. */
  counted_until: z.string(),
  /** False while the hub still counts tasks of the past, after an update. */
  complete: z.boolean(),
  points: z.array(Point),
  total: Counts,
  backends: z.array(Counts.extend({ backend: z.string() })),
  /** Those with the most tasks, at most 50. */
  repositories: z.array(Counts.extend({ repo: z.string() })),
  contributors: z.array(Counts.extend({ contributor_id: z.string(), github_username: z.string() })),
  /** Relays report neither tokens nor cost today; a page says so instead of showing zeros. */
  usage: z.literal("not reported"),
});
export type NumbersReply = z.infer<typeof NumbersReply>;

export const numbers = route({
  method: "GET",
  path: "/api/contribute/numbers",
  summary: "Numbers over time: queue, waiting, endings, failures; by repository, contributor and backend",
  access: "admin",
  scope: "read",
  query: z.object({
    window: z.enum(numberWindows).catch("24h").default("24h"),
    /** `owner/name`. */
    repo: search,
    /** A login. */
    contributor: search,
    backend: search,
  }),
  reply: NumbersReply,
});
