import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useCallback, useEffect, useMemo, useRef } from "react";
import { useRovingFocus } from "./roving-focus.ts";

export interface VirtualListProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  /** An estimate of a row's height in pixels; the real height is measured. */
  readonly rowHeight: number;
  readonly keyOf: (row: Row) => string | number;
  /** Renders a row. */
  readonly show: (row: Row) => ReactNode;
  /** Called when the last row comes into view. */
  readonly onEnd?: (() => void) | undefined;
}

/** Rows rendered above and below the visible ones. */
const OVERSCAN = 6;

/** A scrolling list of any length that renders only its visible rows. The list is one tab stop; arrow keys move within it. */
export function VirtualList<Row>({ label, rows, rowHeight, keyOf, show, onEnd }: VirtualListProps<Row>) {
  const count = rows.length;
  const box = useRef<HTMLElement>(null);
  // The same function as long as the rows are the same: with another one the whole list is measured anew, at each frame of a scroll.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row's key depends on the row alone, whatever function tells it
  const keys = useMemo(() => rows.map(keyOf), [rows]);
  const getItemKey = useCallback((index: number) => keys[index] ?? index, [keys]);
  const list = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    getItemKey,
    overscan: OVERSCAN,
  });
  const onKeyDown = useRovingFocus({ box, count, scrollToIndex: (index) => list.scrollToIndex(index) });
  const seen = list.getVirtualItems();
  const last = seen.at(-1)?.index ?? -1;
  useEffect(() => {
    if (last >= 0 && last >= count - 1) onEnd?.();
  }, [last, count, onEnd]);
  const showAt = (index: number) => {
    const row = rows[index];
    return row === undefined ? undefined : show(row);
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the one stop of the Tab key; the keys below go on from here
    <section ref={box} className="long-list" tabIndex={0} aria-label={label} onKeyDown={onKeyDown}>
      {/* biome-ignore lint/a11y/useSemanticElements: the rows are placed freely, which a real list would not let them be */}
      <div role="list" aria-label={label} style={{ height: list.getTotalSize(), position: "relative" }}>
        {seen.map(({ key, index, start }) => (
          // biome-ignore lint/a11y/useSemanticElements: as above
          <div
            role="listitem"
            key={key}
            data-index={index}
            ref={list.measureElement}
            aria-setsize={count}
            aria-posinset={index + 1}
            className="long-row"
            style={{ transform: `translateY(${start}px)` }}
          >
            {showAt(index)}
          </div>
        ))}
      </div>
    </section>
  );
}
