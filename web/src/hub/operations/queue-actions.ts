import { type contribute, queue } from "@nest/protocol";
import { call } from "../../shared/call/call.ts";
import { count, plural } from "../../shared/format/format.ts";
import { openConfirm } from "../../shared/forms/confirm.tsx";
import { attempt, showToast } from "../../shared/toast/toast.tsx";
import { pinFirst, putOrder, queueHead, unpin } from "./pins.ts";
import { orderAfterMove } from "./queue-order.ts";

// What admins do with issues of the queue. Each action ends with a toast, most with a button to undo it.

/**
 * Moves an issue to place `to` (from 0) of the issues on offer; `shown` is the list of pins that whoever moves it was shown, if one was.
 */
export async function moveIssue(key: string, to: number, shown?: readonly string[]): Promise<void> {
  const { order: before, head } = await queueHead();
  const { order, undo } = await putOrder(orderAfterMove(head, before, key, to), shown ?? before);
  const pinned = order.length === 1 ? "" : ` ${plural(order.length, "issue")} are pinned.`;
  showToast(`${key} is number ${to + 1} now.${pinned}`, undo);
}

/** Pins an issue to the front: it is handed out before all others, as soon as it is on offer. */
export async function pinIssue(key: string): Promise<void> {
  const { undo } = await pinFirst([key]);
  showToast(`${key} is pinned to the front.`, undo);
}

/** Unpins an issue: it waits for its turn again. */
export async function unpinIssue(key: string): Promise<void> {
  const { undo } = await unpin([key]);
  showToast(`${key} is unpinned: it waits for its turn again.`, undo);
}

/** Unpins every issue of the list that was shown. */
export async function clearOrder(shown: readonly string[]): Promise<void> {
  const { undo } = await putOrder([], shown);
  showToast("Nothing is pinned: every issue waits for its turn again.", undo);
}

/** Offers an issue again that is withheld for this reason; asks first where failures are forgotten, which cannot be undone. */
export function askToLift(key: string, reason: queue.Liftable, then?: () => Promise<unknown>): void {
  const act = async () => {
    await liftIssue(key, reason);
    await then?.();
  };
  if (reason !== "quarantined") return attempt(act);
  openConfirm({
    title: `Offer ${key} again?`,
    consequences: "Its quarantine ends now, and the failures counted against it are forgotten. This cannot be undone.",
    yes: "Lift the quarantine",
    act,
  });
}

async function liftIssue(key: string, reason: queue.Liftable): Promise<void> {
  const { lifted } = (await call(queue.lift, { body: { keys: [key], reasons: [reason] } })).value;
  showToast(lifted.length === 0 ? `${key} does not wait for that any more.` : `${key} waits no longer.`);
}

/** Offers all issues again that are withheld for this reason. */
export async function liftAll(reason: queue.Liftable): Promise<void> {
  const { lifted } = (await call(queue.lift, { body: { reasons: [reason] } })).value;
  showToast(`${count(lifted.length)} of them wait no longer.`);
}

/** The reason for which an issue is withheld, if an admin can lift it; else undefined. */
export function liftableReason(reason: string | undefined): queue.Liftable | undefined {
  return queue.liftable.find((one) => one === reason);
}

/** Holds an issue back, until a time or until it is let go; who works on it goes on. */
export async function holdIssue(key: string, how: { readonly reason: string; readonly until?: string }): Promise<void> {
  const { reason, ...end } = how;
  await call(queue.hold, { body: { key, held: true, ...(reason === "" ? {} : { reason }), ...end } });
  showToast(`${key} is held back.`, () => call(queue.hold, { body: { key, held: false } }));
}

/** Lets a held issue go again. */
export async function unholdIssue({
  key,
  held_reason: reason,
  withheld,
}: Pick<contribute.QueueItem, "key" | "held_reason" | "withheld">): Promise<void> {
  await call(queue.hold, { body: { key, held: false } });
  const until = withheld?.reason === "operator_hold" ? withheld.until : undefined;
  const again = {
    ...{ key, held: true },
    ...(reason === undefined ? {} : { reason }),
    ...(until === undefined ? {} : { until }),
  };
  showToast(`${key} is on offer again.`, () => call(queue.hold, { body: again }));
}
