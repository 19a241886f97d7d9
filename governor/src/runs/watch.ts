import type { Standstill } from "@nest/agents";

/** What the governor sees of a run from time to time. */
export interface Glimpse {
  /** The last lines that the agent shows. */
  readonly tail: string;
  /** Bytes that it has printed since it began. */
  readonly printed: number;
  readonly standstill: Standstill | undefined;
  readonly now: number;
}

/** Why a run should be ended. */
export type Trouble =
  | { readonly kind: "stalled"; readonly because: string }
  | { readonly kind: "looped"; readonly because: string }
  | { readonly kind: Standstill; readonly because: string };

export interface WatchTimes {
  /** Nothing new on its screen for so long: it stands still. */
  readonly stalledMs: number;
  /** The same few lines again and again for so long: it goes round in a loop. */
  readonly loopMs: number;
  /** It waits for a person, or for its quota, for so long. */
  readonly standstillMs: number;
}

export const watchTimes: WatchTimes = { stalledMs: 10 * 60_000, loopMs: 3 * 60_000, standstillMs: 2 * 60_000 };

const FEWEST_LINES = 12;
/** Of so many lines on the screen, this many different ones or fewer are a loop, when more and more of them come. */
const MOST_DIFFERENT = 3;

/**
 * Judges a run from glimpses of it: whether it stands still, goes round in a loop, or waits for a person. One object a run; it
 * remembers since when each is so.
 */
export class RunWatch {
  readonly #times: WatchTimes;
  #tail = "";
  #newSince: number;
  #repeatsSince: number | undefined;
  #repeatsFrom = 0;
  #waits: { readonly for: Standstill; readonly since: number } | undefined;

  constructor(now: number, times: WatchTimes = watchTimes) {
    this.#newSince = now;
    this.#times = times;
  }

  /** Why the run should be ended now; undefined while it may go on. */
  look({ tail, printed, standstill, now }: Glimpse): Trouble | undefined {
    if (tail !== this.#tail) this.#newSince = now;
    this.#tail = tail;
    this.#waits =
      standstill === undefined
        ? undefined
        : this.#waits?.for === standstill
          ? this.#waits
          : { for: standstill, since: now };
    if (this.#waits !== undefined) {
      if (now - this.#waits.since < this.#times.standstillMs) return undefined;
      return { kind: this.#waits.for, because: standstillSentence(this.#waits.for) };
    }
    if (!isRepetitive(tail)) this.#repeatsSince = undefined;
    else if (this.#repeatsSince === undefined) [this.#repeatsSince, this.#repeatsFrom] = [now, printed];
    else if (now - this.#repeatsSince >= this.#times.loopMs && printed > this.#repeatsFrom)
      return { kind: "looped", because: `it printed the same few lines for ${minutes(this.#times.loopMs)}` };
    if (now - this.#newSince >= this.#times.stalledMs)
      return { kind: "stalled", because: `nothing new came from it for ${minutes(this.#times.stalledMs)}` };
    return undefined;
  }
}

/** Whether lines say the same few things again and again; digits are left out, because counters and clocks change. Pure. */
export function isRepetitive(tail: string): boolean {
  const lines = tail
    .split("\n")
    .map((line) => line.replace(/\d+/g, "").trim())
    .filter((line) => line.length > 2);
  return lines.length >= FEWEST_LINES && new Set(lines).size <= MOST_DIFFERENT;
}

function standstillSentence(standstill: Standstill): string {
  switch (standstill) {
    case "login":
      return "it needs a login: open its terminal and sign in, then resume it";
    case "answer":
      return "it asks whether it may go on: open its terminal and answer, or allow it in its settings";
    case "quota":
      return "its provider says that the quota is used up";
  }
}

function minutes(ms: number): string {
  const count = Math.round(ms / 60_000);
  return count === 1 ? "a minute" : `${count} minutes`;
}
