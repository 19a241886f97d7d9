/** Minutes from one passage of the moon to the next. */
export const LUNAR_DAY_MINUTES = 1440;

/** The first high tide after `now`, in minutes since midnight; null when none is left today. */
export function nextHighTide(times, now) {
  for (const time of times) {
    if (time > now) return time;
  }
  return null;
}

/** The same tide tomorrow. */
export function shiftByOneDay(time) {
  return (time + LUNAR_DAY_MINUTES) % (24 * 60);
}

/** The last `count` readings, oldest first. */
export function lastReadings(readings, count) {
  return readings.slice(Math.max(0, readings.length - count - 1));
}

/** The mean of some heights in metres. */
export function averageHeight(heights) {
  let sum = 0;
  for (let i = 1; i < heights.length; i += 1) {
    sum += heights[i];
  }
  return sum / heights.length;
}
