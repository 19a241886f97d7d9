import { useSyncExternalStore } from "react";

/** How far the server's clock is ahead of this machine's. */
let aheadMs = 0;
/** The `Date` header has a resolution of one second. */
const TOLERATED_MS = 2000;
const TICK_MS = 1000;

/** Takes the server's time from a `Date` header, so that ages are right on a machine whose clock is wrong. */
export function setServerTime(header: string | null): void {
  const said = Date.parse(header ?? "");
  if (!Number.isNaN(said) && Math.abs(said - serverNow()) > TOLERATED_MS) aheadMs = said - Date.now();
}

/** The server's time in milliseconds. */
export function serverNow(): number {
  return Date.now() + aheadMs;
}

const watchers = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;
let tick = serverNow();

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  ticking ??= setInterval(() => {
    tick = serverNow();
    for (const one of watchers) one();
  }, TICK_MS);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

/** The server's time in milliseconds, updated each second. The whole page shares one timer. */
export function useServerNow(): number {
  return useSyncExternalStore(watch, () => tick);
}
