import { z } from "zod";
import { ActivityEntry, FleetChanges, FleetReply, StatusReply } from "./contribute.ts";

// The events that `GET /api/contribute/events` sends. A reader ignores events whose name it does not know.

/** The first event of every connection: the hub's status and the newest lines of the feed. */
export const Hello = z.object({ status: StatusReply, activity: z.array(ActivityEntry) });

/** Sent at a fixed interval even when nothing happens: a page that misses it knows that the hub hangs or the connection is dead. */
export const StreamHeartbeat = z.object({ at: z.string() });

/** The events of the stream, by name. */
export const streamEvents = {
  hello: Hello,
  status: StatusReply,
  work: FleetReply,
  changes: FleetChanges,
  activity: ActivityEntry,
  heartbeat: StreamHeartbeat,
} as const;

/** How often a heartbeat is sent. */
export const STREAM_HEARTBEAT_MS = 10_000;
/** A page that received nothing for this long (two heartbeats missed and a third one late) says so and reconnects. */
export const STREAM_SILENCE_MS = 30_000;
