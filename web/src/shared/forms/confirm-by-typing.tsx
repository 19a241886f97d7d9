import { TextInput } from "@mantine/core";
import { modals } from "@mantine/modals";
import { type ReactNode, useState } from "react";
import { DialogForm } from "./form-dialog.tsx";

export interface TypedQuestion {
  readonly title: string;
  /** What follows from a yes. */
  readonly consequences: ReactNode;
  /** What has to be typed; upper and lower case are the same. */
  readonly word: string;
  readonly yes: string;
  readonly act: () => Promise<unknown>;
}

/** Asks before something for which there is no way back: the word has to be typed. */
export function openConfirmByTyping(question: TypedQuestion): void {
  const id = modals.open({
    title: question.title,
    children: <ConfirmByTyping {...question} close={() => modals.close(id)} />,
  });
}

/** What such a question consists of. */
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
