/** Everything that was started, to be stopped in the reverse order. */
export interface Running {
  readonly stops: (() => Promise<void>)[];
  /** Everything has started: a program that ends from now on is a surprise, before it is a failed start. */
  started: boolean;
  stopping: boolean;
}

/** Stops everything, the latest first; a part that fails to stop does not keep the others from it. */
export async function stopAll(running: Running): Promise<void> {
  running.stopping = true;
  for (const stop of running.stops.splice(0).reverse()) await stop().catch(() => {});
}
