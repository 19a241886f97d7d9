import "./toast.css";
import { Loader } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { createStore, useStore } from "../store/store.ts";

/** A message that appears in a corner of the page. */
export interface Toast {
  readonly title?: string;
  readonly message: ReactNode;
  readonly tone?: "bad";
  /** It goes by itself after this time; `Infinity`: only when somebody closes it. */
  readonly shownMs: number;
  /** Something is under way: it cannot be closed. */
  readonly isBusy?: boolean;
}

/** Where there are as many, the oldest that says that something was done makes room for a new one; others wait. */
const MOST_SHOWN = 4;

const toasts = createStore<readonly (Toast & { readonly id: number })[]>([]);
let last = 0;

/** Shows a message. Returns its id. */
export function addToast(toast: Toast): number {
  last += 1;
  const before = toasts.get();
  const oldest =
    before.length < MOST_SHOWN
      ? undefined
      : before.find(({ tone, shownMs }) => tone === undefined && shownMs !== Number.POSITIVE_INFINITY);
  toasts.set([...before.filter((one) => one !== oldest), { ...toast, id: last }]);
  return last;
}

/** Takes a message away. */
export function removeToast(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

/** The messages that are shown now. None of them goes while the pointer or the focus is on one. */
export function Toasts() {
  const shown = useStore(toasts, (all) => all);
  const [isHeld, setHeld] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  // A message that is closed under the pointer, or with the focus in it, tells nobody that they have left it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at again when the messages are others
  useEffect(() => setHeld(place.current?.matches(":hover, :focus-within") ?? false), [shown]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: looking at a message only keeps it from going away
    <div
      ref={place}
      className="toasts"
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {shown.slice(0, MOST_SHOWN).map((toast) => (
        <OneToast key={toast.id} toast={toast} isHeld={isHeld} close={() => removeToast(toast.id)} />
      ))}
    </div>
  );
}

interface OneToastProps {
  readonly toast: Toast;
  readonly isHeld: boolean;
  readonly close: () => void;
}

function OneToast({ toast: { title, message, tone, shownMs, isBusy = false }, isHeld, close }: OneToastProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: `close` means the same message each time
  useEffect(() => {
    if (isHeld || shownMs === Number.POSITIVE_INFINITY) return;
    const timer = setTimeout(close, shownMs);
    return () => clearTimeout(timer);
  }, [isHeld, shownMs]);
  return (
    <div className="toast" role="alert" data-toast={tone ?? ""}>
      {isBusy ? <Loader size={22} /> : undefined}
      <div className="toast-words">
        {title === undefined ? undefined : <p className="toast-title">{title}</p>}
        {message === "" ? undefined : <div>{message}</div>}
      </div>
      {isBusy ? undefined : (
        <button type="button" className="icon-button" aria-label="Close this message" onClick={close}>
          <IconX size={17} aria-hidden="true" />
        </button>
      )}
    </div>
  );
}
