import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { ReactNode } from "react";
import { wordsOf } from "../states/states.tsx";

const SHOWN_MS = 8000;

/** Shows a toast that something was done, with a button to undo it where that is possible. */
export function showToast(message: string, undo?: () => Promise<unknown>): void {
  const id = notifications.show({
    autoClose: SHOWN_MS,
    withCloseButton: true,
    closeButtonProps: { "aria-label": "Close this message" },
    message:
      undo === undefined ? (
        message
      ) : (
        <Undoable message={message} undo={() => attempt(undo, "Undone.", () => notifications.hide(id))} />
      ),
  });
}

function Undoable({ message, undo }: { readonly message: ReactNode; readonly undo: () => void }) {
  return (
    <div className="undoable">
      <span>{message}</span>
      <Button size="compact-sm" variant="light" onClick={undo}>
        Undo
      </Button>
    </div>
  );
}

/** Shows a toast that something failed, and why. */
export function showError(problem: unknown): void {
  const { message, hint } = wordsOf(problem);
  notifications.show({
    color: "red",
    autoClose: SHOWN_MS * 2,
    title: message,
    message: hint ?? "",
    closeButtonProps: { "aria-label": "Close this message" },
  });
}

/** Runs an action with toasts: that it is running, then that it is done or why it failed. */
export function attempt(act: () => Promise<unknown>, done?: string, after?: () => void): void {
  const id = notifications.show({
    loading: true,
    autoClose: false,
    withCloseButton: false,
    message: "Waiting for an answer…",
  });
  act()
    .finally(() => notifications.hide(id))
    .then(() => {
      after?.();
      if (done !== undefined) showToast(done);
    }, showError);
}
