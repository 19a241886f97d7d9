import { rank } from "../figures/percentiles.ts";

/** What a page reports of one scroll through a list. */
export interface Scrolled {
  /** Milliseconds between two frames, one for each frame. */
  readonly frames: readonly number[];
  /** How long tasks of over 50 ms took. */
  readonly longTasks: readonly number[];
  /** Rows in the document at the end: a list that is empty is scrolled easily. */
  readonly rows: number;
}

export interface FrameFigures {
  readonly count: number;
  readonly median: number;
  readonly p95: number;
  /** Share of frames, from 0 to 1, that took more than two periods of a screen with 60 a second. */
  readonly lateShare: number;
  readonly longTasks: number;
  readonly longest: number;
}

/** Two frames of a screen that shows 60 a second, and what timers are off by. */
const LATE_MS = 34;

/** Frames of several scrolls together. */
export function frameFigures(scrolls: readonly Scrolled[]): FrameFigures {
  const frames = Float64Array.from(scrolls.flatMap((one) => one.frames)).sort();
  const longTasks = scrolls.flatMap((one) => one.longTasks);
  return {
    count: frames.length,
    median: rank(frames, 0.5),
    p95: rank(frames, 0.95),
    lateShare: frames.length === 0 ? Number.NaN : frames.filter((ms) => ms > LATE_MS).length / frames.length,
    longTasks: longTasks.length,
    longest: Math.max(0, ...longTasks),
  };
}

/** Script for a page: scrolls a list down and up again, a step each frame, as a wheel that does not stop. */
export function scrollScript(label: string, ms: number): string {
  return `(async () => {
    const box = document.querySelector(${JSON.stringify(`.long-list[aria-label="${label}"]`)});
    box.scrollIntoView({ block: "center" });
    const longTasks = [];
    const watch = new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((one) => one.duration)));
    watch.observe({ entryTypes: ["longtask"] });
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    let before = await frame();
    const began = before;
    const frames = [];
    let down = true;
    while (before - began < ${ms}) {
      const top = box.scrollTop + (down ? ${STEP_PX} : -${STEP_PX});
      if (top <= 0 || top >= box.scrollHeight - box.clientHeight) down = !down;
      box.scrollTop = top;
      const now = await frame();
      frames.push(now - before);
      before = now;
    }
    watch.disconnect();
    return { frames, longTasks, rows: box.querySelectorAll("[role=listitem]").length };
  })()`;
}

/** Pixels a frame: half a screen of rows in a tenth of a second. */
const STEP_PX = 60;
