import "./menu.css";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { placeMenu } from "./place-menu.ts";

/** What makes a button the button of a menu. */
export interface MenuButton {
  readonly id: string;
  readonly popoverTarget: string;
  readonly "aria-haspopup": "menu";
  readonly "aria-expanded": boolean;
}

export interface MenuProps {
  /** Renders the button, with these attributes. */
  readonly button: (attributes: MenuButton) => ReactNode;
  /** {@link MenuItem}s; rendered while the menu is open. */
  readonly children: ReactNode;
}

const ITEMS = "[role=menuitem]:not(:disabled)";

/**
 * A button with a menu under it. The browser's popover does most of it: it stands above everything, Escape and a click beside it close
 * it, and the focus goes back to the button.
 */
export function Menu({ button, children }: MenuProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const buttonId = `${id}button`;
  const close = () => list.current?.hidePopover();
  // The menu hangs at its button: it goes when the page moves under it.
  useEffect(() => {
    if (!isOpen) return;
    const stop = new AbortController();
    const hide = ({ target }: Event) => {
      const moved = target instanceof Node ? target : document;
      if (moved.contains(document.getElementById(buttonId))) list.current?.hidePopover();
    };
    for (const name of ["scroll", "resize"])
      addEventListener(name, hide, { capture: true, passive: true, signal: stop.signal });
    return () => stop.abort();
  }, [isOpen, buttonId]);
  return (
    <>
      {button({ id: buttonId, popoverTarget: id, "aria-haspopup": "menu", "aria-expanded": isOpen })}
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-labelledby={buttonId}
        className="menu"
        onBeforeToggle={({ newState }) => {
          if (newState === "open") setOpen(true);
        }}
        onToggle={({ newState, currentTarget }) => {
          if (newState === "open") {
            placeMenu(currentTarget, document.getElementById(buttonId));
            itemsOf(currentTarget)[0]?.focus({ preventScroll: true });
          } else setOpen(false);
        }}
        onKeyDown={(event) => {
          if (event.key === "Tab") close();
          else moveFocus(event);
          // The list that a menu is in has keys of its own.
          event.stopPropagation();
        }}
        // Before the item acts, so that the focus is back at the button when a dialog asks where it was.
        onClickCapture={({ target }) => {
          if (target instanceof Element && target.closest(ITEMS) !== null) close();
        }}
      >
        {isOpen ? children : undefined}
      </div>
    </>
  );
}

function itemsOf(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>(ITEMS)];
}

/** Up and down go round in a circle. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const items = itemsOf(event.currentTarget);
  const at = items.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  items.at(to === items.length ? 0 : Math.max(-1, to))?.focus({ preventScroll: true });
}

export interface MenuItemProps {
  readonly icon?: ReactNode;
  readonly isCurrent?: boolean;
  readonly isDangerous?: boolean;
  readonly disabled?: boolean;
  readonly act: () => void;
  readonly children: ReactNode;
}

/** One entry of a menu: something to do. */
export function MenuItem({
  icon,
  isCurrent = false,
  isDangerous = false,
  disabled = false,
  act,
  children,
}: MenuItemProps) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      disabled={disabled}
      aria-current={isCurrent ? "true" : undefined}
      data-tone={isDangerous ? "bad" : undefined}
      onClick={act}
    >
      {icon}
      <span>{children}</span>
    </button>
  );
}

/** One entry of a menu: somewhere to go, by loading a new page. */
export function MenuLink({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  return (
    <a role="menuitem" tabIndex={-1} href={href}>
      {children}
    </a>
  );
}
