import { flushCompileCache } from "node:module";
import type { Clock } from "@nest/kit";

const SETTLED_MS = 3000;

/**
 * Saves what was compiled at a start, so that the next one takes half the time. Node does so when a program ends by itself; most
 * are saved three seconds after their start too, because they may be killed. Not the hub: saving takes one to two seconds in which
 * nothing is answered, just when every relay and every request to a nest has come back to it.
 */
export function saveCompiledCode(
  program: string,
  clock: Pick<Clock, "after">,
  save: () => void = flushCompileCache,
): void {
  if (program !== "hub") clock.after(SETTLED_MS, save);
}
