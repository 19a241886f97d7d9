import type { contribute } from "@nest/protocol";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { Failed, Nothing, Waiting } from "../look/states.tsx";
import { tellFailed } from "../look/told.tsx";
import { plural } from "../look/words.ts";
import { useIsAdmin } from "../session/who.ts";
import { useCarry } from "./carry.ts";
import { moveIssue } from "./queue-acts.ts";
import { sourceOf } from "./queue-order.ts";
import { useQueuePages } from "./queue-pages.ts";
import { type QueueActs, QueueRow } from "./queue-row.tsx";

const ROW_PX = 64;
const OVERSCAN = 6;

/** What is on offer in the order it is handed out: any length, rows carried by pointer or keys. */
export function QueueList({ search, acts }: { readonly search: string; readonly acts: QueueActs }) {
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

  const { carried, isDropping, pick, press } = useCarry<contribute.QueueItem>({
    box,
    rowHeight: ROW_PX,
    total,
    drop: async (item, to) => {
      await moveIssue(item.key, to).then(shown.again, tellFailed);
    },
  });
  const to = carried?.to;
  const handle = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each step moves the row in the document, which takes the focus away
  useEffect(() => {
    if (to === undefined || carried?.by !== "keys") return;
    list.scrollToIndex(to);
    handle.current?.focus({ preventScroll: true });
  }, [to]);

  if (shown.problem !== undefined) return <Failed problem={shown.problem} again={() => void shown.again()} />;
  if (shown.total === undefined) return <Waiting rows={6} />;
  if (total === 0)
    return (
      <Nothing>
        {shown.hidden > 0 ? `${plural(shown.hidden, "issue")} of private repositories, which admins see` : ""}
        {shown.hidden > 0
          ? ""
          : search === ""
            ? "No issue is on offer right now."
            : "No issue on offer has this in its name or title."}
      </Nothing>
    );
  return (
    <>
      <p className="hidden" aria-live="assertive">
        {carried === undefined ? "" : `${carried.item.key} picked up, now number ${carried.to + 1} of ${total}`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable to be scrolled by keyboard */}
      <section ref={box} className="long-list" tabIndex={0} aria-label="Issues on offer" aria-busy={isDropping}>
        {/* biome-ignore lint/a11y/useSemanticElements: the rows are placed freely, which a real list would not let them be */}
        <div role="list" aria-label="Issues on offer" style={{ height: list.getTotalSize(), position: "relative" }}>
          {rows.map(({ index, start }) => {
            const item =
              carried === undefined
                ? shown.itemAt(index)
                : index === carried.to
                  ? carried.item
                  : shown.itemAt(sourceOf(index, carried.from, carried.to));
            const isCarried = carried !== undefined && index === carried.to;
            return (
              // biome-ignore lint/a11y/useSemanticElements: as above
              <div
                role="listitem"
                key={item?.key ?? index}
                aria-setsize={total}
                aria-posinset={index + 1}
                className="long-row queue-row"
                data-carried={isCarried || undefined}
                style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
              >
                {item === undefined ? undefined : (
                  <QueueRow
                    item={item}
                    index={index}
                    isWhole={search === ""}
                    isAdmin={isAdmin}
                    isCarried={isCarried}
                    handle={handle}
                    pick={pick}
                    press={press}
                    acts={acts}
                  />
                )}
              </div>
            );
          })}
        </div>
      </section>
      {shown.hidden > 0 ? (
        <p className="soft small count-line">
          and {plural(shown.hidden, "issue")} of private repositories, which admins see
        </p>
      ) : undefined}
    </>
  );
}
