import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { wordsOf } from "../states/states.tsx";
import { addToast, removeToast } from "./toasts.tsx";

const SHOWN_MS = 8000;
/** A message with a button stays for longer: to find out that something was wrong takes a look at the page. */
const UNDOABLE_MS = 20_000;

/** Shows a toast that something was done, with a button to undo it where that is possible. */
export function showToast(message: string, undo?: () => Promise<unknown>): void {
  const id = addToast({
    shownMs: undo === undefined ? SHOWN_MS : UNDOABLE_MS,
    message:
      undo === undefined ? (
        message
      ) : (
        <WithButton message={message} button="Undo" act={() => attempt(undo, "Undone.", () => removeToast(id))} />
      ),
  });
}

interface WithButtonProps {
  readonly message: ReactNode;
  readonly button: string;
  readonly act: () => void;
}

function WithButton({ message, button, act }: WithButtonProps) {
  return (
    <div className="undoable">
      <span>{message}</span>
      <Button size="compact-sm" variant="light" onClick={act}>
        {button}
      </Button>
    </div>
  );
}

/** Shows a toast that something failed, and why. */
export function showError(problem: unknown): void {
  const { message, hint } = wordsOf(problem);
  addToast({ tone: "bad", shownMs: SHOWN_MS * 2, title: message, message: hint ?? "" });
}

/** Shows a toast that a part of the app could not be loaded, with a button to try again. */
export function showPartMissing(again: () => void): void {
  const id = addToast({
    tone: "bad",
    shownMs: Number.POSITIVE_INFINITY,
    title: "This part of the page could not be loaded.",
    message: (
      <WithButton
        message="Where that does not help, reload the page: it may have been built anew."
        button="Try again"
        act={() => {
          removeToast(id);
          again();
        }}
      />
    ),
  });
}

/** Runs an action with toasts: that it is running, then that it is done or why it failed. */
export function attempt(act: () => Promise<unknown>, done?: string, after?: () => void): void {
  const id = addToast({ isBusy: true, shownMs: Number.POSITIVE_INFINITY, message: "Waiting for an answer…" });
  act()
    .finally(() => removeToast(id))
    .then(() => {
      after?.();
      if (done !== undefined) showToast(done);
    }, showError);
}
