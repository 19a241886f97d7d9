import { Fragment, type ReactNode, useRef } from "react";
import { usePart } from "../lazy/lazy-part.ts";
import { findLostFocus } from "../lists/lost-focus.ts";
import { createStore, useStore } from "../store/store.ts";

/** A dialog that is opened by a function, not by a part of a page. It stands outside the router. */
export interface Dialog {
  readonly title: ReactNode;
  readonly size?: string;
  readonly children: ReactNode;
  /** Called when it is closed, in whatever way. */
  readonly onClose?: () => void;
}

interface OpenDialog extends Dialog {
  readonly id: number;
  readonly isOpen: boolean;
  /** Which window it appears in. A window stays when its dialog is gone: it gives the focus back a little later. */
  readonly window: number;
}

const dialogs = createStore<readonly OpenDialog[]>([]);
let last = 0;

/** Opens a dialog. Returns its id. */
export function openDialog(dialog: Dialog): number {
  const open = dialogs.get();
  const taken = new Set(open.map(({ window }) => window));
  let window = 0;
  while (taken.has(window)) window += 1;
  last += 1;
  dialogs.set([...open, { ...dialog, id: last, isOpen: true, window }]);
  return last;
}

/** Closes a dialog; one that is closed already stays so. */
export function closeDialog(id: number): void {
  const dialog = dialogs.get().find((one) => one.id === id);
  if (dialog === undefined || !dialog.isOpen) return;
  dialogs.set(dialogs.get().map((one) => (one === dialog ? { ...one, isOpen: false } : one)));
  dialog.onClose?.();
}

function remove(id: number): void {
  dialogs.set(dialogs.get().filter((one) => one.id !== id));
}

/** Loads the windows that dialogs appear in. */
export const loadWindows = () => import("./dialog-window.tsx");

/** The dialogs that are open. */
export function Dialogs() {
  const open = useStore(dialogs, (all) => all);
  const windows = usePart(loadWindows, open.length > 0);
  const most = useRef(0);
  most.current = Math.max(most.current, ...open.map(({ window }) => window + 1));
  if (windows === undefined) return undefined;
  const { DialogWindow } = windows;
  return Array.from({ length: most.current }, (_, nth) => {
    const { id = 0, isOpen = false, title, size, children } = open.find(({ window }) => window === nth) ?? {};
    return (
      <DialogWindow
        // biome-ignore lint/suspicious/noArrayIndexKey: the number is what a window is known by
        key={nth}
        isOpen={isOpen}
        above={nth + 1}
        close={() => closeDialog(id)}
        closed={() => {
          remove(id);
          // The window takes what it shows away in the next frame, and gives the focus back to what had it, where that is there still.
          requestAnimationFrame(() => requestAnimationFrame(findLostFocus));
        }}
        title={title}
        {...(size === undefined ? {} : { size })}
      >
        <Fragment key={id}>{children}</Fragment>
      </DialogWindow>
    );
  });
}

export interface DialogBoxProps {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly title: ReactNode;
  readonly size?: string;
  /** `side`: at the right edge of the page, which stays in sight. */
  readonly at?: "centre" | "top" | "side";
  readonly children: ReactNode;
}

/** A dialog that is part of a page and shows what the page knows. */
export function DialogBox({ at = "centre", ...props }: DialogBoxProps) {
  const windows = usePart(loadWindows, props.isOpen);
  if (windows === undefined) return undefined;
  return at === "side" ? <windows.SideWindow {...props} /> : <windows.DialogWindow {...props} isHigh={at === "top"} />;
}
