import { contribute, queue } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { LAST_PLACE } from "./queue-order.ts";

// The list of issues that are pinned to the front of the queue. What is made from a list says which: where another admin changed it
// meanwhile, the hub refuses, and says what is different.

/** The list after a change, and what takes that change back while nobody else has changed it. */
export interface ChangedPins {
  readonly order: readonly string[];
  readonly undo: () => Promise<unknown>;
}

/** How the queue begins, how many are on offer in all, and what is pinned to its front: at this moment. */
export async function queueHead() {
  // One after the other: what is pinned between the two is refused when the list is saved.
  const { order } = (await call(queue.order)).value;
  const { value } = await call(contribute.queue, { query: { limit: LAST_PLACE } });
  return { order, head: value.queue, total: value.matching };
}

/** Replaces the list that `expected` is. */
export async function putOrder(order: readonly string[], expected: readonly string[]): Promise<ChangedPins> {
  await shownAfter(call(queue.setOrder, { body: { order: [...order], expected: [...expected] } }));
  return { order, undo: () => putOrder(expected, order) };
}

/** Puts issues before all that is pinned. */
export function pinFirst(keys: readonly string[]): Promise<ChangedPins> {
  return changed(call(queue.pinFirst, { body: { keys: [...keys] } }));
}

/** Takes issues from the list. */
export function unpin(keys: readonly string[]): Promise<ChangedPins> {
  return changed(call(queue.unpin, { body: { keys: [...keys] } }));
}

async function changed(
  answered: Promise<{ readonly value: { readonly before: readonly string[]; readonly order: readonly string[] } }>,
): Promise<ChangedPins> {
  const { before, order } = (await shownAfter(answered)).value;
  return { order, undo: () => putOrder(before, order) };
}

/** Has the lists read again where a change was refused: what another admin did meanwhile is seen at once. */
function shownAfter<Answer>(answered: Promise<Answer>): Promise<Answer> {
  return answered.catch((thrown) => {
    void queries.invalidateQueries({ queryKey: ["queue"] });
    throw thrown;
  });
}
