import { type Cast, type CastEvent, lengthOf } from "./cast.ts";

/** Where a recording is shown: the part of a terminal that is used here. */
export interface Screen {
  readonly print: (text: string) => void;
  readonly size: (columns: number, rows: number) => void;
  /** Begins anew with an empty terminal. */
  readonly clear: () => void;
}

export const speeds = [0.5, 1, 2, 4, 8] as const;
export type Speed = (typeof speeds)[number];

export interface PlaybackState {
  /** Milliseconds since the recording's beginning. */
  readonly position: number;
  readonly isPlaying: boolean;
  readonly speed: Speed;
}

/**
 * Plays a recording on a screen. Going back begins anew and shows everything up to there at once, as a terminal cannot take back what
 * it printed. It has no clock of its own: whoever owns it says how much time went by.
 */
export class Playback {
  readonly #screen: Screen;
  #cast: Cast;
  /** How many events were shown. */
  #shown = 0;
  #position = 0;
  #isPlaying = false;
  #speed: Speed = 1;

  constructor(cast: Cast, screen: Screen) {
    this.#cast = cast;
    this.#screen = screen;
    this.#begin();
  }

  get state(): PlaybackState {
    return { position: this.#position, isPlaying: this.#isPlaying, speed: this.#speed };
  }

  get length(): number {
    return lengthOf(this.#cast);
  }

  /** Plays on; from the beginning where the end was reached. */
  play(): void {
    if (this.#position >= this.length) this.seek(0);
    this.#isPlaying = true;
  }

  pause(): void {
    this.#isPlaying = false;
  }

  setSpeed(speed: Speed): void {
    this.#speed = speed;
  }

  /** Shows the recording as it was at a moment. */
  seek(to: number): void {
    const position = Math.max(0, Math.min(this.length, to));
    if (position < this.#position) this.#begin();
    this.#position = position;
    this.#showUpTo(position);
  }

  /** Takes a longer recording of the same run. At the end of what it had it stays at the end, so that one can watch the run. */
  extend(cast: Cast): void {
    const wasAtEnd = this.#position >= this.length;
    const isSame = cast.events.length >= this.#cast.events.length && this.#shown <= cast.events.length;
    this.#cast = cast;
    if (!isSame) {
      const { position } = this.state;
      this.#begin();
      this.seek(position);
    } else if (wasAtEnd) this.seek(this.length);
  }

  /** Time went by. Returns whether it still plays. */
  advance(ms: number): boolean {
    if (!this.#isPlaying) return false;
    this.seek(this.#position + ms * this.#speed);
    if (this.#position >= this.length) this.#isPlaying = false;
    return this.#isPlaying;
  }

  #begin(): void {
    this.#shown = 0;
    this.#position = 0;
    this.#screen.clear();
    this.#screen.size(this.#cast.columns, this.#cast.rows);
  }

  #showUpTo(position: number): void {
    const { events } = this.#cast;
    let text = "";
    for (let event = events[this.#shown]; isDue(event, position); event = events[this.#shown]) {
      this.#shown += 1;
      if (event.kind === "print") text += event.text;
      else {
        if (text !== "") this.#screen.print(text);
        text = "";
        this.#screen.size(event.columns, event.rows);
      }
    }
    if (text !== "") this.#screen.print(text);
  }
}

function isDue(event: CastEvent | undefined, position: number): event is CastEvent {
  return event !== undefined && event.at <= position;
}
