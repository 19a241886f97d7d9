import { type KeyboardEvent, type RefObject, useEffect } from "react";

// A list is one stop of the Tab key, however many rows it has: within it the arrow keys go from row to row, and from control
// to control of a row. Rows are found by `data-index`; only those on the screen exist, so a row is scrolled to before it gets
// the focus.

const CONTROLS = "a[href], button:not([disabled]), input:not([disabled])";
const PAGE_ROWS = 10;

export interface RovingFocus {
  readonly box: RefObject<HTMLElement | null>;
  readonly count: number;
  readonly scrollToIndex: (index: number) => void;
}

/** Makes a list one stop of the Tab key; the answer is the list's key handler. */
export function useRovingFocus({
  box,
  count,
  scrollToIndex,
}: RovingFocus): (event: KeyboardEvent<HTMLElement>) => void {
  useEffect(() => {
    const list = box.current;
    if (list === null) return;
    const takeOutOfTabOrder = () => {
      for (const control of list.querySelectorAll<HTMLElement>(CONTROLS)) control.tabIndex = -1;
    };
    takeOutOfTabOrder();
    const observer = new MutationObserver(takeOutOfTabOrder);
    observer.observe(list, { childList: true, subtree: true });
    return () => observer.disconnect();
  });
  return (event) => {
    const list = box.current;
    if (list === null || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-index]") : null;
    const at = placeIn(row, event.target);
    const next = nextPlace(event.key, at, { rows: count, columns: row === null ? 0 : controlsOf(row).length });
    if (next === undefined) return;
    event.preventDefault();
    if (next.row !== at?.row) scrollToIndex(next.row);
    focusWhenDrawn(list, next);
  };
}

/** A control of a list: its row, and which of the row's controls it is. */
interface Place {
  readonly row: number;
  readonly column: number;
}

/** Where a key leads from a place; undefined for keys that lead nowhere. From the list itself any of them leads to a first row. */
export function nextPlace(
  key: string,
  at: Place | undefined,
  size: { readonly rows: number; readonly columns: number },
): Place | undefined {
  if (size.rows === 0) return undefined;
  const { row, column } = at ?? { row: -1, column: 0 };
  const rows: Readonly<Record<string, number>> = {
    ArrowDown: row + 1,
    ArrowUp: row - 1,
    PageDown: row + PAGE_ROWS,
    PageUp: row - PAGE_ROWS,
    Home: 0,
    End: size.rows - 1,
  };
  const toRow = rows[key];
  if (toRow !== undefined) return { row: Math.max(0, Math.min(size.rows - 1, toRow)), column };
  if (at === undefined || (key !== "ArrowLeft" && key !== "ArrowRight")) return undefined;
  const toColumn = column + (key === "ArrowRight" ? 1 : -1);
  return { row, column: Math.max(0, Math.min(size.columns - 1, toColumn)) };
}

function controlsOf(row: HTMLElement): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>(CONTROLS)];
}

function placeIn(row: HTMLElement | null, target: EventTarget): Place | undefined {
  if (row === null) return undefined;
  const column = target instanceof HTMLElement ? controlsOf(row).indexOf(target) : 0;
  return { row: Number(row.dataset.index), column: Math.max(0, column) };
}

/** A row that was scrolled to is drawn a moment later. */
const MOST_FRAMES = 10;

function focusWhenDrawn(list: HTMLElement, place: Place, frames = MOST_FRAMES): void {
  const row = list.querySelector<HTMLElement>(`[data-index="${place.row}"]`);
  if (row === null) {
    if (frames > 0) requestAnimationFrame(() => focusWhenDrawn(list, place, frames - 1));
    return;
  }
  const controls = controlsOf(row);
  const target = controls[Math.min(place.column, controls.length - 1)] ?? row;
  if (target === row) row.tabIndex = -1;
  target.focus();
}
