import { Drawer, Modal } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";

interface WindowProps {
  readonly isOpen: boolean;
  readonly close: () => void;
  /** Called when it has faded away. */
  readonly closed?: () => void;
  readonly title: ReactNode;
  readonly size?: string;
  readonly children: ReactNode;
  /** How many windows it may stand above. A dialog that was opened from another stands above that one, whichever came first. */
  readonly above?: number;
}

/** Mantine's height of a window; its lists of choices are at 300. */
const LOWEST = 200;

/** The bar of a dialog is no banner of the page, for which it is taken where it is a header element. */
const attributes = { header: { role: "none" } };

/** A dialog in the middle of the page. A click beside it closes only the palette: in the others something may have been typed. */
export function DialogWindow({
  isOpen,
  close,
  closed,
  isHigh = false,
  above = 0,
  ...look
}: WindowProps & { readonly isHigh?: boolean }) {
  const opened = useOpenedWhenThere(isOpen);
  return (
    <Modal
      opened={opened}
      onClose={close}
      closeOnClickOutside={isHigh}
      zIndex={LOWEST + above}
      attributes={attributes}
      {...(closed === undefined ? {} : { onExitTransitionEnd: closed })}
      {...(isHigh ? { yOffset: "12vh" } : {})}
      {...look}
    />
  );
}

/** A dialog at the right edge of the page. */
export function SideWindow({ isOpen, close, ...look }: WindowProps) {
  const opened = useOpenedWhenThere(isOpen);
  return (
    <Drawer
      opened={opened}
      onClose={close}
      position="right"
      closeButtonProps={{ "aria-label": "Close" }}
      attributes={attributes}
      {...look}
    />
  );
}

/** A window is opened after it is there: only then does it know where the focus was, to give it back there. */
function useOpenedWhenThere(isOpen: boolean): boolean {
  const [isThere, setThere] = useState(false);
  useEffect(() => setThere(true), []);
  return isThere && isOpen;
}
