import type { contribute } from "@nest/protocol";
import {
  IconArrowBarToUp,
  IconDots,
  IconGripVertical,
  IconHandStop,
  IconHash,
  IconPinnedOff,
} from "@tabler/icons-react";
import { type KeyboardEvent, memo, type PointerEvent, type RefObject } from "react";
import { count } from "../../shared/format/format.ts";
import { Menu, MenuItem } from "../../shared/menu/menu.tsx";
import { IssueLine } from "./issue-line.tsx";

export interface QueueActions {
  readonly hold: (key: string) => void;
  readonly moveTo: (key: string) => void;
  readonly pin: (key: string) => void;
  readonly unpin: (key: string) => void;
}

export interface QueueRowProps {
  readonly item: contribute.QueueItem;
  readonly index: number;
  /** False during a search: the rows are then only a part of the queue, and have no numbers. */
  readonly isWhole: boolean;
  readonly isAdmin: boolean;
  readonly isDragged: boolean;
  /** Receives the handle of the dragged row. */
  readonly handle: RefObject<HTMLButtonElement | null>;
  readonly pick: (item: contribute.QueueItem, index: number, event: PointerEvent<HTMLElement>) => void;
  readonly press: (item: contribute.QueueItem, index: number, event: KeyboardEvent<HTMLElement>) => void;
  readonly acts: QueueActions;
}

/** One issue on offer: its drag handle, number, facts and actions. Memoised, because there are hundreds. */
export const QueueRow = memo(function QueueRow(parts: QueueRowProps) {
  const { item, index, isWhole, isAdmin, isDragged, handle, pick, press, acts } = parts;
  return (
    <>
      {isAdmin && isWhole ? (
        <button
          ref={isDragged ? handle : undefined}
          type="button"
          className="handle"
          aria-label={`Move ${item.key}, number ${index + 1}`}
          aria-pressed={isDragged}
          onPointerDown={(event) => pick(item, index, event)}
          onKeyDown={(event) => press(item, index, event)}
        >
          <IconGripVertical size={16} aria-hidden="true" />
        </button>
      ) : undefined}
      <span className="place">{isWhole ? count(index + 1) : ""}</span>
      <IssueLine item={item} />
      {isAdmin ? (
        <div className="row-acts">
          <button
            type="button"
            className="icon-button"
            aria-label={`Hold ${item.key}`}
            onClick={() => acts.hold(item.key)}
          >
            <IconHandStop size={17} aria-hidden="true" />
          </button>
          <More item={item} acts={acts} />
        </div>
      ) : undefined}
    </>
  );
});

/** The menu of a row. */
function More({ item, acts }: Pick<QueueRowProps, "item" | "acts">) {
  return (
    <Menu
      button={(attributes) => (
        <button type="button" className="icon-button" aria-label={`More for ${item.key}`} {...attributes}>
          <IconDots size={17} aria-hidden="true" />
        </button>
      )}
    >
      <MenuItem icon={<IconArrowBarToUp size={16} />} act={() => acts.pin(item.key)}>
        Pin to the front
      </MenuItem>
      <MenuItem icon={<IconHash size={16} />} act={() => acts.moveTo(item.key)}>
        Move to number…
      </MenuItem>
      {item.ordered === true ? (
        <MenuItem icon={<IconPinnedOff size={16} />} act={() => acts.unpin(item.key)}>
          Unpin
        </MenuItem>
      ) : undefined}
    </Menu>
  );
}
