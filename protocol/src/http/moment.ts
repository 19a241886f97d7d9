import { z } from "zod";

/** A moment of a filter: a date (in UTC), or a date with its time and zone. */
export const Moment = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], "not a date, nor a date with time and zone")
  .meta({ examples: ["2026-11-23"] });

const DAY_MS = 24 * 3_600_000;

/** The first moment (ms) that `since` lets through, and the first that `until` does not: a date alone is the whole day. */
export function spanOf({ since, until }: { readonly since?: string | undefined; readonly until?: string | undefined }) {
  const isDay = (text: string) => !text.includes("T");
  return {
    from: since === undefined ? undefined : Date.parse(since),
    before: until === undefined ? undefined : Date.parse(until) + (isDay(until) ? DAY_MS : 0),
  };
}
