import type { contribute } from "@nest/protocol";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { plural } from "../../shared/format/format.ts";
import { useRovingFocus } from "../../shared/lists/roving-focus.ts";
import { useIsAdmin } from "../../shared/session/session.ts";
import { Empty, LoadFailed, Loading } from "../../shared/states/states.tsx";
import { showError } from "../../shared/toast/toast.tsx";
import { type Dragged, useDrag } from "./drag.ts";
import { moveIssue } from "./queue-actions.ts";
import { sourceOf } from "./queue-order.ts";
import { useQueuePages } from "./queue-pages.ts";
import { type QueueActions, QueueRow } from "./queue-row.tsx";

const ROW_PX = 64;
const OVERSCAN = 6;

/** The issues on offer, in the order in which they are handed out. Admins reorder them with the pointer or the keyboard. */
export function QueueList({ search, acts }: { readonly search: string; readonly acts: QueueActions }) {
  const isAdmin = useIsAdmin();
  const box = useRef<HTMLElement>(null);
  const [total, setTotal] = useState(0);
  const list = useVirtualizer({
    count: total,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
  });
  const rows = list.getVirtualItems();
  const shown = useQueuePages({ search }, rows[0]?.index ?? 0, (rows.at(-1)?.index ?? 0) + 1);
  if (shown.total !== undefined && shown.total !== total) setTotal(shown.total);

  const { dragged, isDropping, pick, press } = useDrag<contribute.QueueItem>({
    box,
    rowHeight: ROW_PX,
    total,
    drop: async (item, to) => {
      await moveIssue(item.key, to).then(shown.again, showError);
    },
  });
  const onKeyDown = useRovingFocus({ box, count: total, scrollToIndex: (index) => list.scrollToIndex(index) });
  const to = dragged?.to;
  const handle = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step moves the row in the document, which takes the focus away
  useEffect(() => {
    if (to === undefined || dragged?.by !== "keys") return;
    list.scrollToIndex(to);
    handle.current?.focus({ preventScroll: true });
  }, [to]);

  if (shown.problem !== undefined) return <LoadFailed problem={shown.problem} again={() => void shown.again()} />;
  if (shown.total === undefined) return <Loading rows={6} />;
  if (total === 0) return <Empty>{emptyWords(shown.hidden, search)}</Empty>;
  return (
    <>
      <p className="hidden" aria-live="assertive">
        {dragged === undefined ? "" : `${dragged.item.key} picked up, now number ${dragged.to + 1} of ${total}`}
      </p>
      <section
        ref={box}
        className="long-list"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the one stop of the Tab key; the keys below go on from here
        tabIndex={0}
        aria-label="Issues on offer"
        aria-busy={isDropping}
        onKeyDown={onKeyDown}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: the rows are placed freely, which a real list would not let them be */}
        <div role="list" aria-label="Issues on offer" style={{ height: list.getTotalSize(), position: "relative" }}>
          {rows.map(({ index, start }) => {
            const item = itemDrawnAt(index, dragged, shown.itemAt);
            const isDragged = dragged !== undefined && index === dragged.to;
            return (
              <PlacedRow key={item?.key ?? index} index={index} start={start} total={total} isDragged={isDragged}>
                {item === undefined ? undefined : (
                  <QueueRow
                    item={item}
                    index={index}
                    isWhole={search === ""}
                    isAdmin={isAdmin}
                    isDragged={isDragged}
                    handle={handle}
                    pick={pick}
                    press={press}
                    acts={acts}
                  />
                )}
              </PlacedRow>
            );
          })}
        </div>
      </section>
      <HiddenCount hidden={shown.hidden} />
    </>
  );
}

/** How many issues are on offer that only admins see. */
function HiddenCount({ hidden }: { readonly hidden: number }) {
  if (hidden === 0) return undefined;
  return (
    <p className="soft small count-line">and {plural(hidden, "issue")} of private repositories, which admins see</p>
  );
}

interface PlacedRowProps {
  readonly index: number;
  /** Where it is drawn, in pixels from the top of the list. */
  readonly start: number;
  readonly total: number;
  readonly isDragged: boolean;
  readonly children: ReactNode;
}

/** A row at its place in the list. */
function PlacedRow({ index, start, total, isDragged, children }: PlacedRowProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: the rows are placed freely, which a real list would not let them be
    <div
      role="listitem"
      data-index={index}
      aria-setsize={total}
      aria-posinset={index + 1}
      className="long-row queue-row"
      data-dragged={isDragged || undefined}
      style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
    >
      {children}
    </div>
  );
}

/** The issue drawn at a place: during a drag the others make way for the dragged one. */
function itemDrawnAt(
  index: number,
  dragged: Dragged<contribute.QueueItem> | undefined,
  itemAt: (index: number) => contribute.QueueItem | undefined,
): contribute.QueueItem | undefined {
  if (dragged === undefined) return itemAt(index);
  return index === dragged.to ? dragged.item : itemAt(sourceOf(index, dragged.from, dragged.to));
}

function emptyWords(hidden: number, search: string): string {
  if (hidden > 0) return `${plural(hidden, "issue")} of private repositories, which admins see`;
  return search === "" ? "No issue is on offer right now." : "No issue on offer has this in its name or title.";
}
