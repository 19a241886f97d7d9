import { TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { closeDialog, openDialog } from "./dialogs.tsx";
import { DialogForm } from "./form-dialog.tsx";

export interface TypedQuestion {
  readonly title: string;
  /** What the action will do. */
  readonly consequences: ReactNode;
  /** The word to type; case does not matter. */
  readonly word: string;
  readonly yes: string;
  readonly act: () => Promise<unknown>;
}

/** Asks before an action that cannot be undone: the person has to type a word. */
export function openConfirmByTyping(question: TypedQuestion): void {
  const id = openDialog({
    title: question.title,
    children: <ConfirmByTyping {...question} close={() => closeDialog(id)} />,
  });
}

/** The content of that dialog. */
export function ConfirmByTyping({
  consequences,
  word,
  yes,
  act,
  close,
}: TypedQuestion & { readonly close: () => void }) {
  const [typed, setTyped] = useState("");
  const isTyped = typed.trim().toLowerCase() === word.toLowerCase();
  return (
    <DialogForm close={close} yes={yes} dangerous isReady={isTyped} submit={act}>
      {consequences}
      <TextInput
        data-autofocus
        label={`Type ${word} to confirm`}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </DialogForm>
  );
}
