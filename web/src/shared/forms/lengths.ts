import { serverNow } from "../call/server-time.ts";

const HOUR_MS = 3_600_000;

/** For how long something lasts; 0: until somebody ends it. */
export const lengths = [
  { value: String(HOUR_MS), label: "1 hour" },
  { value: String(8 * HOUR_MS), label: "8 hours" },
  { value: String(24 * HOUR_MS), label: "1 day" },
  { value: String(7 * 24 * HOUR_MS), label: "1 week" },
  { value: "0", label: "until it is ended" },
] as const;

/** The end of a chosen length that begins now, for a request; nothing for one without an end. */
export function untilAfter(chosen: string): { readonly until?: string } {
  const forMs = Number(chosen);
  return forMs === 0 ? {} : { until: new Date(serverNow() + forMs).toISOString() };
}
