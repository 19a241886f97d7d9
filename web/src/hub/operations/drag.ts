import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from "react";
import { LAST_PLACE } from "./queue-order.ts";

/** A row that was picked up, and where it would be put down. */
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
  /** Puts it down; what is shown stays as it is until this is over. */
  readonly drop: (item: Item, to: number) => Promise<void>;
}

/** So near to the edge of the box that the list moves along. */
const EDGE_PX = 48;
const EDGE_STEP_PX = 10;
const FRAME_MS = 16;

/** Carrying rows of a list with rows of one height: by pointer from a handle, or by keys. */
export function useDrag<Item>({ box, rowHeight, total, drop }: DragProps<Item>) {
  const [dragged, setDragged] = useState<Dragged<Item>>();
  const [isDropping, setDropping] = useState(false);
  const pointerY = useRef(0);
  const most = Math.max(0, Math.min(total, LAST_PLACE) - 1);
  const inList = (place: number) => Math.max(0, Math.min(most, place));
  // What is dragged at this very moment: a release can come before the last move was drawn.
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

  const byPointer = dragged?.by === "pointer" && !isDropping;
  // biome-ignore lint/correctness/useExhaustiveDependencies: listens once for each setDrag; what it needs it reads when it is needed
  useEffect(() => {
    if (!byPointer) return;
    const follow = () => {
      const shown = box.current;
      if (shown === null) return;
      const { top, bottom } = shown.getBoundingClientRect();
      if (pointerY.current < top + EDGE_PX) shown.scrollTop -= EDGE_STEP_PX;
      else if (pointerY.current > bottom - EDGE_PX) shown.scrollTop += EDGE_STEP_PX;
      const to = inList(Math.floor((pointerY.current - top + shown.scrollTop) / rowHeight));
      if (latest.current !== undefined && latest.current.to !== to) setDrag({ ...latest.current, to });
    };
    const move = (event: globalThis.PointerEvent) => {
      pointerY.current = event.clientY;
    };
    const cancel = () => setDrag(undefined);
    const giveUp = (event: globalThis.KeyboardEvent) => {
      if (event.key === "Escape") cancel();
    };
    const timer = setInterval(follow, FRAME_MS);
    const up = () => {
      follow();
      putDown();
    };
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", up);
    window.addEventListener("pointercancel", cancel);
    window.addEventListener("keydown", giveUp);
    return () => {
      clearInterval(timer);
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", up);
      window.removeEventListener("pointercancel", cancel);
      window.removeEventListener("keydown", giveUp);
    };
  }, [byPointer]);

  const hands = {
    pick(item: Item, from: number, event: PointerEvent<HTMLElement>) {
      if (event.button !== 0 || isDropping) return;
      event.preventDefault();
      event.currentTarget.focus();
      pointerY.current = event.clientY;
      setDrag({ item, from, to: from, by: "pointer" });
    },
    press(item: Item, from: number, event: KeyboardEvent<HTMLElement>) {
      if (isDropping) return;
      const steps: Record<string, number> = {
        ArrowUp: -1,
        ArrowDown: 1,
        Home: -total,
        End: total,
        PageUp: -10,
        PageDown: 10,
      };
      if (event.key === " " || event.key === "Enter") {
        event.preventDefault();
        if (dragged === undefined) setDrag({ item, from, to: from, by: "keys" });
        else putDown();
        return;
      }
      if (dragged === undefined) return;
      const step = steps[event.key];
      if (event.key === "Escape") setDrag(undefined);
      if (step === undefined) return;
      event.preventDefault();
      setDrag({ ...dragged, to: inList(dragged.to + step) });
    },
  };
  // Rows are drawn again only when something of theirs changes; these two stay the same for ever.
  const now = useRef(hands);
  now.current = hands;
  const [{ pick, press }] = useState<typeof hands>(() => ({
    pick: (...given) => now.current.pick(...given),
    press: (...given) => now.current.press(...given),
  }));
  return { dragged, isDropping, pick, press };
}
