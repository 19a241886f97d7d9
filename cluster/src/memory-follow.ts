import { NestError } from "@nest/kit";
import type { ObjectFilter, ObjectKind, WatchEvent, WatchReader } from "./managed.ts";
import type { MemoryFaults } from "./memory-faults.ts";
import type { MemoryObjects } from "./memory-objects.ts";

/**
 * Follows objects in memory until the reader's signal. Events are told after the change that caused them has returned, as they
 * would be over a wire. A fault that was switched on is told to the reader, and the watch begins anew.
 */
export async function followInMemory(
  cluster: { readonly objects: MemoryObjects; readonly faults: MemoryFaults },
  what: { readonly kind: ObjectKind; readonly filter: ObjectFilter },
  reader: WatchReader,
): Promise<void> {
  const { signal } = reader;
  while (!signal.aborted) {
    try {
      await cluster.faults.meet("watch", { ...what.kind, ...what.filter }, signal);
      break;
    } catch (thrown) {
      if (thrown instanceof NestError) reader.onFault?.(thrown);
      else if (!signal.aborted) throw thrown;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  if (signal.aborted) return;
  await new Promise<void>((resolve, reject) => {
    const waiting: WatchEvent[] = [];
    const drain = () => {
      try {
        for (let event = waiting.shift(); event !== undefined; event = waiting.shift())
          if (!signal.aborted) reader.onEvent(event);
      } catch (thrown) {
        end();
        reject(thrown);
      }
    };
    const tell = (event: WatchEvent) => {
      if (waiting.push(event) === 1) queueMicrotask(drain);
    };
    const end = cluster.objects.follow({ ...what, tell });
    const stop = () => {
      end();
      resolve();
    };
    signal.addEventListener("abort", stop, { once: true });
  });
}
