import { useEffect, useState } from "react";
import { showPartMissing } from "../toast/toast.tsx";

/**
 * Loads a part of the app that only an act needs, then acts. When it cannot be loaded (no network, or the app was built anew since the
 * page was opened), a message says so and offers to try again.
 */
export function withPart<Part>(load: () => Promise<Part>, act: (part: Part) => void): void {
  load().then(act, () => showPartMissing(() => withPart(load, act)));
}

/** A part of the app that is loaded when it is wanted for the first time, and kept; undefined until it has come. */
export function usePart<Part>(load: () => Promise<Part>, isWanted: boolean): Part | undefined {
  const [part, setPart] = useState<Part>();
  const isMissing = isWanted && part === undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `load` is written at the call and means the same each time
  useEffect(() => {
    if (isMissing) withPart(load, (loaded) => setPart(() => loaded));
  }, [isMissing]);
  return part;
}

/** Loads parts at the first sign that somebody uses the page, so that they are there when they are asked for. */
export function loadAtFirstTouch(...loads: readonly (() => Promise<unknown>)[]): void {
  const stop = new AbortController();
  const load = () => {
    stop.abort();
    // What fails here is told when it is asked for.
    for (const one of loads) one().catch(() => undefined);
  };
  for (const sign of ["pointermove", "pointerdown", "keydown"])
    addEventListener(sign, load, { signal: stop.signal, passive: true });
}
