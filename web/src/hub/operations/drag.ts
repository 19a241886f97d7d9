import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from "react";
import { LAST_PLACE } from "./queue-order.ts";

/** The row that is being dragged, and the place where it would be dropped. */
export interface Dragged<Item> {
  readonly item: Item;
  readonly from: number;
  readonly to: number;
  readonly by: "pointer" | "keys";
}

export interface DragProps<Item> {
  readonly box: RefObject<HTMLElement | null>;
  readonly rowHeight: number;
  readonly total: number;
  /** Moves the row. The list keeps showing the new order until this is done. */
  readonly drop: (item: Item, to: number) => Promise<void>;
}

/** The list scrolls while the pointer is this close to its edge. */
const EDGE_PX = 48;
const EDGE_STEP_PX = 10;
const FRAME_MS = 16;

/** Drags rows in a list of equally high rows, with the pointer or with the keyboard. */
export function useDrag<Item>({ box, rowHeight, total, drop }: DragProps<Item>) {
  const [dragged, setDragged] = useState<Dragged<Item>>();
  const [isDropping, setDropping] = useState(false);
  const pointerY = useRef(0);
  const most = Math.max(0, Math.min(total, LAST_PLACE) - 1);
  const inList = (place: number) => Math.max(0, Math.min(most, place));
  // The current drag. The pointer can be released before the last move was rendered, so state alone would be too old.
  const latest = useRef<Dragged<Item>>(undefined);
  const setDrag = (next: Dragged<Item> | undefined) => {
    latest.current = next;
    setDragged(next);
  };

  const putDown = () => {
    const done = latest.current;
    if (done === undefined) return;
    if (done.to === done.from) return setDrag(undefined);
    setDropping(true);
    void drop(done.item, done.to).finally(() => {
      setDropping(false);
      setDrag(undefined);
    });
  };

  const follow = (clientY: number) => {
    const list = box.current;
    if (list === null) return;
    const { top, bottom } = list.getBoundingClientRect();
    if (clientY < top + EDGE_PX) list.scrollTop -= EDGE_STEP_PX;
    else if (clientY > bottom - EDGE_PX) list.scrollTop += EDGE_STEP_PX;
    const to = inList(Math.floor((clientY - top + list.scrollTop) / rowHeight));
    if (latest.current !== undefined && latest.current.to !== to) setDrag({ ...latest.current, to });
  };
  const isFollowing = dragged?.by === "pointer" && !isDropping;
  usePointerUntilUp(isFollowing, pointerY, { follow, drop: putDown, cancel: () => setDrag(undefined) });

  const handlers = {
    pick(item: Item, from: number, event: PointerEvent<HTMLElement>) {
      if (event.button !== 0 || isDropping) return;
      event.preventDefault();
      event.currentTarget.focus();
      pointerY.current = event.clientY;
      setDrag({ item, from, to: from, by: "pointer" });
    },
    press(item: Item, from: number, event: KeyboardEvent<HTMLElement>) {
      if (isDropping) return;
      if (event.key === " " || event.key === "Enter") {
        event.preventDefault();
        if (dragged === undefined) setDrag({ item, from, to: from, by: "keys" });
        else putDown();
        return;
      }
      if (dragged === undefined) return;
      const step = stepOf(event.key, total);
      if (event.key === "Escape") setDrag(undefined);
      if (step === undefined) return;
      event.preventDefault();
      setDrag({ ...dragged, to: inList(dragged.to + step) });
    },
  };
  // Rows are memoised, so these two functions must never change.
  const newest = useRef(handlers);
  newest.current = handlers;
  const [{ pick, press }] = useState<typeof handlers>(() => ({
    pick: (...given) => newest.current.pick(...given),
    press: (...given) => newest.current.press(...given),
  }));
  return { dragged, isDropping, pick, press };
}

/** How far a key moves the dragged row; undefined for keys that do not move it. */
function stepOf(key: string, total: number): number | undefined {
  return { ArrowUp: -1, ArrowDown: 1, Home: -total, End: total, PageUp: -10, PageDown: 10 }[key];
}

interface PointerActions {
  /** Called again and again with the pointer's height on the screen, also while it rests: the list may have to scroll. */
  readonly follow: (clientY: number) => void;
  readonly drop: () => void;
  readonly cancel: () => void;
}

/** Follows the pointer, wherever it is on the page, until it is released or the drag is cancelled. */
function usePointerUntilUp(isFollowing: boolean, pointerY: RefObject<number>, actions: PointerActions): void {
  const newest = useRef(actions);
  newest.current = actions;
  useEffect(() => {
    if (!isFollowing) return;
    const stop = new AbortController();
    const { signal } = stop;
    const follow = () => newest.current.follow(pointerY.current);
    const timer = setInterval(follow, FRAME_MS);
    window.addEventListener("pointermove", ({ clientY }) => (pointerY.current = clientY), { signal });
    window.addEventListener("pointercancel", () => newest.current.cancel(), { signal });
    window.addEventListener("keydown", ({ key }) => key === "Escape" && newest.current.cancel(), { signal });
    window.addEventListener(
      "pointerup",
      () => {
        follow();
        newest.current.drop();
      },
      { signal },
    );
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [isFollowing, pointerY]);
}
