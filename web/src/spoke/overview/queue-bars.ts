import type { Bar } from "../../shared/charts/stacked-bars.tsx";
import { dateAndTime, plural } from "../../shared/format/format.ts";

export interface QueuePoint {
  readonly at: string;
  readonly actionable: number;
  readonly held_back: number;
}

const MOST_BARS = 48;
const HOUR_MS = 3_600_000;
/** A nest that has just begun to look has a chart with room for what comes. */
const SHORTEST_MS = 6 * HOUR_MS;

/**
 * The queue over time as bars of equal length of time: each shows the last evaluation in it. Where there was none, because the nest
 * did not run, there is no bar's height, and the words say so.
 */
export function queueBars(points: readonly QueuePoint[], now: number, days: number): Bar[] {
  const first = points[0];
  if (first === undefined) return [];
  const firstMs = Date.parse(first.at);
  const firstHour = Math.floor(firstMs / HOUR_MS) * HOUR_MS;
  const begin = Math.max(now - days * 24 * HOUR_MS, Math.min(firstHour, now - SHORTEST_MS));
  const step = Math.max(HOUR_MS / 4, (now - begin) / MOST_BARS);
  const bars = Math.max(1, Math.ceil((now - begin) / step));
  return Array.from({ length: bars }, (_, nth) => {
    const from = begin + nth * step;
    const last = points.findLast(({ at }) => Date.parse(at) >= from && Date.parse(at) < from + step);
    const begins = dateAndTime(new Date(from).toISOString());
    // What was read is told with the time of its reading: the bar can begin before the nest did.
    const when = last === undefined ? begins : dateAndTime(last.at);
    return {
      key: String(nth),
      label: begins.replace(/ \d{4},/, ","),
      parts: [
        { value: last?.actionable ?? 0, tone: "good" as const },
        { value: last?.held_back ?? 0, tone: "quiet" as const },
      ],
      words:
        last === undefined
          ? `${when}: ${from + step <= firstMs ? "before the first look" : "not looked at"}`
          : `${when}: ${plural(last.actionable, "issue")} actionable, ${last.held_back} held back`,
    };
  });
}
