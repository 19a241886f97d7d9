import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { LoadFailed } from "../states/states.tsx";
import { useSubmit } from "./confirm.tsx";
import { DialogBox } from "./dialogs.tsx";

export interface FormDialogProps {
  readonly title: ReactNode;
  readonly isOpen: boolean;
  readonly close: () => void;
  /** The label of the button that starts the action. */
  readonly yes: string;
  readonly isReady?: boolean;
  /** Looks at the fields before the action: false where one is faulty, and says so at that field. */
  readonly check?: () => boolean;
  readonly dangerous?: boolean;
  readonly size?: string;
  /**
   * The action, started by Enter, in a field of several lines by Ctrl and Enter, or by the button. The dialog closes when it is done, and
   * shows the error if it fails. With false it stays: its fields say why.
   */
  readonly submit: () => Promise<unknown>;
  readonly children: ReactNode;
}

/** A dialog with fields and one action. */
export function FormDialog({ title, isOpen, close, children, size = "md", ...form }: FormDialogProps) {
  return (
    <DialogBox isOpen={isOpen} close={close} title={title} size={size}>
      <DialogForm {...form} close={close}>
        {children}
      </DialogForm>
    </DialogBox>
  );
}

/** The form inside a dialog: its fields, the error, and the two buttons. */
export function DialogForm({
  close,
  yes,
  isReady = true,
  check,
  dangerous = false,
  submit,
  children,
}: Pick<FormDialogProps, "close" | "yes" | "isReady" | "check" | "dangerous" | "submit" | "children">) {
  const { isPending, problem, run } = useSubmit(async () => {
    if ((await submit()) !== false) close();
  });
  return (
    <form
      noValidate={check !== undefined}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && check?.() !== false) run();
      }}
      // In a field of several lines Enter begins a line.
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        event.currentTarget.requestSubmit();
      }}
    >
      {children}
      {problem === undefined ? undefined : <LoadFailed problem={problem} />}
      <div className="dialog-end">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" disabled={!isReady} loading={isPending} {...(dangerous ? { color: "red" } : {})}>
          {yes}
        </Button>
      </div>
    </form>
  );
}
