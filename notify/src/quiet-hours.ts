/** A time of day without messages: `22:00-07:00`, from the first minute to before the last. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
  readonly timeZone: string;
}

/** Reads `22:00-07:00`. The schema of the configuration has checked both texts. Pure. */
export function readQuietHours(written: string | null | undefined, timeZone = "UTC"): QuietHours | undefined {
  const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(written ?? "") ?? [];
  return from === undefined || to === undefined ? undefined : { from: minutesOf(from), to: minutesOf(to), timeZone };
}

/** Whether it is quiet now, by the clock on the wall of that time zone; hours that end before they begin last over midnight. Pure. */
export function isQuiet({ from, to, timeZone }: QuietHours, now: number): boolean {
  const wall = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const minute = minutesOf(wall.format(now));
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to;
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}
