const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Steps that are whole in the unit in which they are read. */
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 20, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 6, 12, 24].map((hours) => hours * HOUR),
];
const MOST_TICKS = 3;

/** The ticks of an axis from 0 to at least `most` milliseconds. Pure. */
export function timeTicks(most: number): number[] {
  // Beyond a minute, times are read in whole minutes: 60 and 90 seconds would both be "1 min".
  const fits = (step: number) =>
    step * MOST_TICKS >= most && (step >= MINUTE || Math.ceil(most / step) * step <= MINUTE);
  const step = STEPS.find(fits) ?? Math.ceil(most / MOST_TICKS / HOUR) * HOUR;
  return Array.from({ length: Math.max(1, Math.ceil(most / step)) + 1 }, (_, nth) => nth * step);
}
