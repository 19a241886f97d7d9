import type { Reader } from "@nest/dispatch";
import { type CancelTimer, type Clock, type Log, sentenceOf, TimeSlicer } from "@nest/kit";
import {
  HourCounts,
  markCounted,
  pruneCounts,
  sealHours,
  settledHours,
  uncountedPullRequests,
  writeDay,
} from "./count-store.ts";
import { countedInHours, hourOf } from "./counting.ts";

const EVERY_MS = 60_000;
/** It counts a little at a time, and then rests, so that it does not delay the relays. */
const SLICES = { sliceMs: 0.2, restMs: 1 };
/** A batch decided before the full hour may be written a little after it. */
const LATE_MS = 5 * 60_000;
/** How long a page waits for the newest tasks. */
const PATIENCE_MS = 1000;
const DAY_HOURS = 24;
/** Hours are kept longer than the longest view of them; days for two years. */
const KEPT_HOURS = 92 * DAY_HOURS;
const KEPT_DAYS = 731;

export interface RollupDeps {
  /** Runs the writing statements too; they can be run again. */
  readonly database: Reader;
  /** True at one replica, which counts for all of them. */
  readonly isMine: () => boolean;
  /** Whether other processes read the counts: they cannot have the hour that has not ended counted when somebody asks. */
  readonly isReadElsewhere: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Counts tasks by the hour and by the day. The tasks are the only truth: an hour's rows are counted from them and written whole, again
 * and again until the hour is over, so a crash at any moment loses nothing and counts nothing twice. A pull request that is verified
 * later has its task's hour counted anew. On the first start after an update, the past is counted a day at a time.
 *
 * The hour that has not ended is counted when somebody asks for it. Doing so every minute would write a row for each contributor at work
 * each time, and the relays' tasks would wait for the same disk.
 */
export class Rollup {
  readonly #deps: RollupDeps;
  /** The day for which what is too old was deleted last. */
  #prunedFor: number | undefined;
  #running: Promise<void> | undefined;
  #countedAt = Number.NEGATIVE_INFINITY;
  #stop: CancelTimer = () => {};
  #stopped = false;

  constructor(deps: RollupDeps) {
    this.#deps = { ...deps, database: withRests(deps.database, () => this.#stopped) };
  }

  start(): void {
    const count = () => void this.#once(this.#deps.isReadElsewhere);
    this.#stop = this.#deps.clock.every(EVERY_MS, count);
    count();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stop();
    await this.#running;
  }

  /**
   * Counts what has changed, unless that was done within `ageMs`. Waits for it no longer than {@link PATIENCE_MS}: the past may take minutes
   * after an update. At another replica than the counting one, does nothing.
   * @returns false when it waited no longer: the counts lack tasks of now.
   */
  async upToDate(ageMs: number): Promise<boolean> {
    const { clock, isMine } = this.#deps;
    if (!isMine()) return true;
    const isFresh = () => clock.now() - this.#countedAt < ageMs && clock.now() >= this.#countedAt;
    const counted = async () => {
      // One that is under way may have read past what was changed since it began.
      await this.#running;
      if (!isFresh()) await this.run();
      return true;
    };
    const { promise: isEnough, resolve } = Promise.withResolvers<boolean>();
    const cancel = clock.after(PATIENCE_MS, () => resolve(false));
    const isCounted = await Promise.race([counted(), isEnough]);
    cancel();
    return isCounted;
  }

  /** Counts what has changed, the hour that has not ended too. A second call while one runs waits for that one. */
  run(): Promise<void> {
    return this.#once(true);
  }

  #once(withCurrent: boolean): Promise<void> {
    this.#running ??= this.#run(withCurrent).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(withCurrent: boolean): Promise<void> {
    const { isMine, clock, log } = this.#deps;
    if (!isMine() || this.#stopped) return;
    const began = clock.now();
    try {
      await this.#count(began, withCurrent);
      if (withCurrent) this.#countedAt = began;
      await this.#prune(began);
    } catch (thrown) {
      // What was not counted is counted after the next start.
      if (this.#stopped) return;
      log.warn({ because: sentenceOf(thrown) }, "numbers over time could not be counted; trying again later");
    }
  }

  async #count(now: number, withCurrent: boolean): Promise<void> {
    const { database } = this.#deps;
    const settled = await settledHours(database);
    const sealed = settled?.sealed ?? (await this.#beforeFirstHour(now));
    if (settled === undefined) await sealHours(database, sealed);
    const current = hourOf(now);
    const complete = Math.max(sealed, hourOf(now - LATE_MS) - 1);
    const again = [...(settled?.pending ?? [])].filter((hour) => hour <= sealed);
    // A day whose hours are gone is counted anew from all of them.
    const isKept = (hour: number) => dayOf(hour) > dayOf(current - KEPT_HOURS);
    const hours = new Set(again.flatMap((hour) => (isKept(hour) ? [hour] : hoursOf(dayOf(hour)))));
    const pulls: string[] = [];
    for (const hour of hours) pulls.push(...(await this.#countHour(hour)));
    const days = new Set([...hours].map(dayOf).filter((day) => day < dayOf(sealed + 1)));
    for (const day of days) await writeDay(database, day);
    // Marked when the days have them too: a crash before has the hours counted anew.
    await markCounted(database, pulls);
    const last = withCurrent ? current : complete;
    for (let hour = sealed + 1; hour <= last && !this.#stopped; hour += 1) {
      await markCounted(database, await this.#countHour(hour));
      const isLastOfDay = dayOf(hour + 1) > dayOf(hour);
      if (hour <= complete && isLastOfDay) await writeDay(database, dayOf(hour));
      // Of the past, a day at a time: sealing each hour would wait for the disk each time.
      if (hour === complete || (hour < complete && isLastOfDay)) await sealHours(database, hour);
    }
  }

  /** Counts an hour, and returns the pull requests that were not in its counts before. */
  async #countHour(hour: number): Promise<readonly string[]> {
    const { database } = this.#deps;
    const counts = new HourCounts(hour);
    // Looked up first: what is verified while the tasks are read is counted the next time.
    const pulls = await uncountedPullRequests(database, hour);
    for await (const counted of countedInHours(database, hour, hour)) counts.add(counted);
    await counts.write(database);
    return pulls;
  }

  /** The hour before the first one that there is something to count in. */
  async #beforeFirstHour(now: number): Promise<number> {
    const [row] = await this.#deps.database.all("select min(assigned_at) as first from tasks");
    const first = row?.first === null || row?.first === undefined ? now : Number(row.first);
    return Math.max(hourOf(first), hourOf(now) - KEPT_DAYS * DAY_HOURS) - 1;
  }

  /** Once a day, and after each start. */
  async #prune(now: number): Promise<void> {
    const hour = hourOf(now);
    const today = dayOf(hour);
    if (this.#stopped || this.#prunedFor === today) return;
    // A day whose hours go is complete: it was added up when it was over.
    for await (const _ of pruneCounts(this.#deps.database, hour - KEPT_HOURS, today - KEPT_DAYS))
      if (this.#stopped) return;
    this.#prunedFor = today;
  }
}

function dayOf(hour: number): number {
  return Math.floor(hour / DAY_HOURS);
}

function hoursOf(day: number): number[] {
  return Array.from({ length: DAY_HOURS }, (_, nth) => day * DAY_HOURS + nth);
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * The same database, with time for everybody else after each statement: each takes a fraction of a millisecond. Fails once it is stopped:
 * nobody who ends the hub waits until the past is counted.
 */
function withRests(database: Reader, isStopped: () => boolean): Reader {
  const slicer = new TimeSlicer(SLICES);
  return {
    async all(sql, ...values) {
      if (isStopped()) throw new Error("stopped");
      const rows = await database.all(sql, ...values);
      await (slicer.pause() ?? turn());
      return rows;
    },
  };
}
