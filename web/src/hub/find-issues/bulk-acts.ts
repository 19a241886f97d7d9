import { queue } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { queries } from "../../shared/call/queries.ts";
import { plural } from "../../shared/format/format.ts";
import { showToast } from "../../shared/toast/toast.tsx";
import { pinFirst } from "../operations/pins.ts";

// What admins do with many issues at once. Each says afterwards for how many it was new.

/** Holds issues back; who works on one goes on. */
export async function holdAll(
  keys: readonly string[],
  hold: { readonly reason: string; readonly until?: string },
): Promise<void> {
  const { changed } = (await call(queue.holdMany, { body: { keys: [...keys], held: true, ...hold } })).value;
  const undo = () => call(queue.holdMany, { body: { keys: [...keys], held: false } });
  // Those that were held before would be let go too: only a whole act can be undone.
  showToast(`${plural(changed, "issue")} held back.`, changed === keys.length ? undo : undefined);
  await readAgain();
}

/** Lets issues go that operators hold. */
export async function letGoAll(keys: readonly string[]): Promise<void> {
  const { changed } = (await call(queue.holdMany, { body: { keys: [...keys], held: false } })).value;
  showToast(`${plural(changed, "issue")} let go.`);
  await readAgain();
}

/** Ends what issues wait for, where an operator can end it. */
export async function offerAgain(keys: readonly string[]): Promise<void> {
  const { lifted } = (await call(queue.lift, { body: { keys: [...keys] } })).value;
  showToast(`${plural(lifted.length, "issue")} offered again.`);
  await readAgain();
}

/** Pins issues to the front of the queue, in the order of the list: they are handed out before all others. */
export async function pinAll(keys: readonly string[]): Promise<void> {
  const { order, undo } = await pinFirst(keys);
  showToast(`${plural(keys.length, "issue")} pinned to the front; ${order.length} in all.`, undo);
  await readAgain();
}

function readAgain(): Promise<void> {
  return queries.invalidateQueries({ queryKey: ["queue"] });
}
