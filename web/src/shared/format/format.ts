const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** As far as this machine's idea of the server's time may be behind it. */
const SLACK_MS = 5000;

/** A length of time in its two largest units: `45 s`, `12 min`, `3 h 5 min`, `4 d 2 h`. Never negative. */
export function duration(ms: number): string {
  const length = Math.max(0, ms);
  if (length < MINUTE_MS) return `${Math.floor(length / 1000)} s`;
  if (length < HOUR_MS) return `${Math.floor(length / MINUTE_MS)} min`;
  if (length < DAY_MS) return two(Math.floor(length / HOUR_MS), "h", Math.floor((length % HOUR_MS) / MINUTE_MS), "min");
  return two(Math.floor(length / DAY_MS), "d", Math.floor((length % DAY_MS) / HOUR_MS), "h");
}

/** How long something still lasts, rounded up: what was chosen to last an hour lasts `1 h` and not `59 min` when it has just begun. */
export function timeLeft(ms: number): string {
  if (ms <= MINUTE_MS) return duration(Math.ceil(ms / 1000) * 1000);
  const unit = ms < DAY_MS ? MINUTE_MS : HOUR_MS;
  return duration(Math.ceil((ms - SLACK_MS) / unit) * unit);
}

/** The same for times that can be very short: `4 ms`, `1.2 s`. */
export function shortTime(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms);
}

function two(first: number, unit: string, second: number, smaller: string): string {
  return second === 0 ? `${first} ${unit}` : `${first} ${unit} ${second} ${smaller}`;
}

/** `1,234`. */
export function count(value: number): string {
  return value.toLocaleString("en");
}

/** `1 issue`, `2 issues`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A wire name in readable form: `connection_lost` becomes `connection lost`. */
export function spoken(name: string): string {
  return name.replaceAll("_", " ");
}

/** `idle` as the first word of a label: `Idle`. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Date and time in the reader's time zone: `22 Nov 2026, 14:03`. */
export function dateAndTime(iso: string): string {
  return new Date(iso).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** The time of day, to the second, in the reader's time zone: `14:03:22`. */
export function timeOfDay(ms: number): string {
  return new Date(ms).toLocaleTimeString("en-GB");
}

/** The address if it is a web address, else undefined, so that nothing else becomes a link. */
export function safeHref(url: string | undefined): string | undefined {
  return url !== undefined && /^https?:\/\//i.test(url) ? url : undefined;
}
