import { ActionIcon, Menu } from "@mantine/core";
import type { contribute } from "@nest/protocol";
import {
  IconArrowBarToUp,
  IconDots,
  IconGripVertical,
  IconHandStop,
  IconHash,
  IconPinnedOff,
} from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { Failed, Nothing, Waiting } from "../look/states.tsx";
import { tellFailed } from "../look/told.tsx";
import { count, plural } from "../look/words.ts";
import { useIsAdmin } from "../session/who.ts";
import { useCarry } from "./carry.ts";
import { IssueLine } from "./issue-line.tsx";
import { moveIssue } from "./queue-acts.ts";
import { sourceOf } from "./queue-order.ts";
import { useQueuePages } from "./queue-pages.ts";

export interface QueueActs {
  readonly hold: (key: string) => void;
  readonly moveTo: (key: string) => void;
  readonly top: (key: string) => void;
  readonly unmove: (key: string) => void;
}

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
  // A search shows a part of the queue: places in it mean nothing.
  const canCarry = isAdmin && search === "";
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
                  <>
                    {canCarry ? (
                      <button
                        ref={isCarried ? handle : undefined}
                        type="button"
                        className="handle"
                        aria-label={`Move ${item.key}, number ${index + 1}`}
                        aria-pressed={isCarried}
                        onPointerDown={(event) => pick(item, index, event)}
                        onKeyDown={(event) => press(item, index, event)}
                      >
                        <IconGripVertical size={16} aria-hidden="true" />
                      </button>
                    ) : undefined}
                    <span className="place">{search === "" ? count(index + 1) : ""}</span>
                    <IssueLine item={item} />
                    {isAdmin ? <RowActs item={item} acts={acts} /> : undefined}
                  </>
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

function RowActs({ item, acts }: { readonly item: contribute.QueueItem; readonly acts: QueueActs }) {
  return (
    <div className="row-acts">
      <ActionIcon variant="subtle" color="gray" aria-label={`Hold ${item.key}`} onClick={() => acts.hold(item.key)}>
        <IconHandStop size={17} />
      </ActionIcon>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`More for ${item.key}`}>
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconArrowBarToUp size={16} />} onClick={() => acts.top(item.key)}>
            Move to the top
          </Menu.Item>
          <Menu.Item leftSection={<IconHash size={16} />} onClick={() => acts.moveTo(item.key)}>
            Move to number…
          </Menu.Item>
          {item.ordered === true ? (
            <Menu.Item leftSection={<IconPinnedOff size={16} />} onClick={() => acts.unmove(item.key)}>
              Let it wait for its turn
            </Menu.Item>
          ) : undefined}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}
