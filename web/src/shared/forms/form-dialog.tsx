import { Button, Modal } from "@mantine/core";
import type { ReactNode } from "react";
import { LoadFailed } from "../states/states.tsx";
import { useSubmit } from "./confirm.tsx";

export interface FormDialogProps {
  readonly title: ReactNode;
  readonly isOpen: boolean;
  readonly close: () => void;
  /** The words on the button that does it. */
  readonly yes: string;
  readonly isReady?: boolean;
  readonly dangerous?: boolean;
  readonly size?: string;
  /** Done on Enter or on the button; the dialog closes when it is done, and says so when it could not be. */
  readonly submit: () => Promise<unknown>;
  readonly children: ReactNode;
}

/** A dialog with fields and one thing to do with them. */
export function FormDialog({ title, isOpen, close, children, size = "md", ...form }: FormDialogProps) {
  return (
    <Modal opened={isOpen} onClose={close} title={title} size={size}>
      <DialogForm {...form} close={close}>
        {children}
      </DialogForm>
    </Modal>
  );
}

/** The form of a dialog: its fields, what went wrong, and the two buttons. */
export function DialogForm({
  close,
  yes,
  isReady = true,
  dangerous = false,
  submit,
  children,
}: Pick<FormDialogProps, "close" | "yes" | "isReady" | "dangerous" | "submit" | "children">) {
  const { isPending, problem, run } = useSubmit(async () => {
    await submit();
    close();
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) run();
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
