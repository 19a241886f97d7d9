import { z } from "zod";
import { ActivityEntry, FleetChanges, FleetReply, StatusReply } from "./contribute.ts";

// What `GET /api/contribute/events` sends, event by event. A reader passes over events whose name it does not know.

/** The first event of every connection: how the hub stands, and the newest lines of the feed. */
export const Hello = z.object({ status: StatusReply, activity: z.array(ActivityEntry) });

/** Sent whatever happens or does not: a page that misses it knows that the hub stands still or the line is dead. */
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
/** A page that heard nothing for so long, two heartbeats missed and a third one late, says so and connects anew. */
export const STREAM_SILENCE_MS = 30_000;
