import type { Clock } from "./clock.ts";

/** How long a second signal is ignored: people press Ctrl-C twice in haste. */
const SECOND_SIGNAL_MS = 5000;

/**
 * Handles SIGINT and SIGTERM. The first signal calls `drain`, then the process exits with 0. Another one, 5 s later or more,
 * exits with 1 at once.
 */
export function onShutdownSignal(clock: Clock, drain: (signal: NodeJS.Signals) => Promise<void>): void {
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (firstAt !== undefined) {
      if (clock.now() - firstAt >= SECOND_SIGNAL_MS) process.exit(1);
      return;
    }
    firstAt = clock.now();
    drain(signal).then(
      () => process.exit(0),
      (thrown) => {
        console.error(thrown);
        process.exit(1);
      },
    );
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
}
