import { type KeyboardEvent, type RefObject, useEffect, useRef } from "react";
import { findLostFocus, rememberRow } from "./lost-focus.ts";

// A list is one tab stop, however many rows it has. Inside it, up and down move between rows, left and right between the controls
// of a row. Rows carry `data-index`. Only visible rows exist, so the list scrolls to a row before it focuses it.

const CONTROLS = "a[href], button:not([disabled]), input:not([disabled])";
const PAGE_ROWS = 10;

export interface RovingFocus {
  readonly box: RefObject<HTMLElement | null>;
  readonly count: number;
  readonly scrollToIndex: (index: number) => void;
}

/** Makes a list one tab stop. Returns the key handler of the list. */
export function useRovingFocus({
  box,
  count,
  scrollToIndex,
}: RovingFocus): (event: KeyboardEvent<HTMLElement>) => void {
  const watched = useRef<Watched>(undefined);
  // Runs after every render, because the list element may appear later than the component; it mostly finds the same element.
  useEffect(() => {
    const list = box.current;
    if (list === watched.current?.list) return;
    watched.current?.stop();
    watched.current = list === null ? undefined : { list, stop: watchList(list) };
  });
  useEffect(() => () => watched.current?.stop(), []);
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

interface Watched {
  readonly list: HTMLElement;
  readonly stop: () => void;
}

/** Takes the controls of a list out of the tab order, also those that come later, and keeps the focus in it when its row goes away. */
function watchList(list: HTMLElement): () => void {
  let focused: EventTarget | null = null;
  const stopped = new AbortController();
  const remember = ({ target }: FocusEvent) => {
    focused = target;
    rememberRow(list, target);
  };
  list.addEventListener("focusin", remember, { signal: stopped.signal });
  const take = (within: ParentNode) => {
    for (const control of within.querySelectorAll<HTMLElement>(CONTROLS)) control.tabIndex = -1;
  };
  take(list);
  const observer = new MutationObserver((changes) => {
    for (const { target } of changes) if (target instanceof Element) take(target);
    if (!(focused instanceof Node) || focused.isConnected) return;
    focused = null;
    findLostFocus();
  });
  observer.observe(list, { childList: true, subtree: true });
  return () => {
    stopped.abort();
    observer.disconnect();
  };
}

/** A control in a list: the index of its row, and its index among the row's controls. */
interface Place {
  readonly row: number;
  readonly column: number;
}

/** Where a key moves the focus; undefined if it does not move it. From the list itself (`at` undefined) it moves to a row. */
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

/** After scrolling, a row is rendered within this many frames. */
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
