/** Everything that was started, to be stopped in the reverse order. */
export interface Running {
  readonly stops: (() => Promise<void>)[];
  /** True once everything has started: from then on a program that ends has crashed; before that its start has failed. */
  started: boolean;
  stopping: boolean;
}

/** Stops everything, the latest first; a part that fails to stop does not keep the others from it. */
export async function stopAll(running: Running): Promise<void> {
  running.stopping = true;
  for (const stop of running.stops.splice(0).reverse()) await stop().catch(() => {});
}
